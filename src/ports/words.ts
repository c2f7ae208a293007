/**
 * Types of the domain that the ports' signatures use, for the layers that see ports but not domain.
 */
export type * from '../domain/definition/definition.ts';
export type * from '../domain/execution/message.ts';
export type * from '../domain/execution/state.ts';
export type * from '../domain/ids.ts';
export type * from '../domain/principal/principal.ts';
export type * from '../domain/recovery/signs.ts';
export type * from '../domain/run/aggregate.ts';
export type * from '../domain/run/message.ts';
export type * from '../domain/run/state.ts';
export type * from '../domain/verdict/verdict.ts';
