/**
 * The {@link Plane} in this process: a lane host's or check host's view of the engine. It turns
 * messages into commands, answers what was accepted before with the same acknowledgement, and keeps
 * what was refused as evidence, where it changes nothing.
 */
import type { Plane } from '../ports/plane.ts';
import type { Engine } from './engine.ts';

export type LocalPlane = (engine: Engine) => Plane;
