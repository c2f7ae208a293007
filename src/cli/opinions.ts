/** The opinions of a council with their texts, for `consult` and `show`. */
import type { Client } from '../ports/client.ts';
import type { CouncilStory, OpinionStory } from '../ports/council-story.ts';
import { artifactText } from './artifacts.ts';
import { iso } from './format.ts';

export interface Said {
  readonly opinion: OpinionStory;
  /** Null: there is none, or it was pruned. */
  readonly text: string | null;
}

export async function saidBy(
  client: Client,
  council: CouncilStory | null,
): Promise<readonly Said[]> {
  return await Promise.all((council?.opinions ?? []).map((opinion) => saidIn(client, opinion)));
}

export const saidIn = async (client: Client, opinion: OpinionStory): Promise<Said> => ({
  opinion,
  text: await artifactText(client, opinion.text),
});

export function opinionsJson(council: CouncilStory | null, said: readonly Said[]) {
  if (council === null) return [];
  const { agent, role } = council;
  return said.map(({ opinion, text }) => {
    const { profile, outcome, detail, execution, text: artifact } = opinion;
    const times = { askedAt: iso(opinion.askedAt), endedAt: iso(opinion.endedAt) };
    const why = detail === '' ? null : detail;
    return { profile, agent, role, outcome, text, detail: why, execution, artifact, ...times };
  });
}
