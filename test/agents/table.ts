/** The lane's table, agent × clause. Set-up of the vitest project. */
import { conformanceTable, type Tried } from '../../src/testing/index.ts';
import { laneTable } from '../support/lane-table.ts';

export const { note, setup, teardown } = laneTable<Tried>('agents', conformanceTable);
