/** `pawl/testing`: what a test of an agent, or of a program that runs agents, needs. */
export type {
  AnsweredRequest,
  ModelServer,
  ModelServerOptions,
} from './model-server/model-server.ts';
export { modelServer } from './model-server/model-server.ts';
export type {
  ModelRequest,
  OfferedTool,
  Script,
  ToolWish,
  Turn,
  Turns,
} from './model-server/script.ts';
