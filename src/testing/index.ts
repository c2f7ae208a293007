/** `pawl/testing`: what a test of an agent, or of a program that runs agents, needs. */

export { type ConformanceOptions, clauses, conformance } from './agents/conformance.ts';
export type {
  AgentLanes,
  Conversation,
  SeenTurn,
  StartedProgram,
  TurnRequest,
} from './agents/lanes.ts';
export type {
  AgentProfile,
  ClauseId,
  ClauseOutcome,
  ClauseResult,
  Impossible,
} from './agents/outcome.ts';
export { InfrastructureError } from './agents/outcome.ts';
export { conformanceTable, type Tried } from './agents/table.ts';
export type { ApiName } from './model-server/api.ts';
export {
  type Astray,
  type Failing,
  type FailureForm,
  type FailureName,
  failures,
  type Refused,
} from './model-server/failures.ts';
export type { ModelServer, ModelServerOptions } from './model-server/model-server.ts';
export { modelServer } from './model-server/model-server.ts';
export type { AnsweredRequest } from './model-server/request-log.ts';
export type {
  ModelRequest,
  Script,
  Turn,
  Turns,
  TurnUsage,
} from './model-server/script.ts';
export type { OfferedTool, ToolCall, ToolWish } from './model-server/tool.ts';
