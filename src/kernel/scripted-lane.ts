/** What stands for the agent in a dry run; no program of that name is ever looked for. */
export const scriptedLane = 'scripted';
