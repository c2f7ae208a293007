/**
 * The lane's table: repository, tools, setup, checks, and what init and run ended with. Set-up of
 * the vitest project.
 */
import { columns } from '../../src/testing/agents/table.ts';
import { laneTable } from '../support/lane-table.ts';

const heading = ['repository', 'tools', 'setup', 'checks', 'init -y', 'run'];

export const { note, setup, teardown } = laneTable<readonly string[]>('newcomer', (rows) =>
  columns([heading, ...rows]),
);
