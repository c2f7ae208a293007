/** What turns left to be looked at, and what they did not leave (EV-67). Pure. */
import { quotePath } from '../../kernel/text.ts';
import type { AttestedFiles, RunEvent } from '../../ports/words.ts';
import { clean } from '../text.ts';
import type { Fact } from './fact-shape.ts';

type Attested = Extract<RunEvent, { type: 'artifacts.attested' }>;

const namesMax = 5;

export function artifactsFact({ artifacts }: Pick<Attested, 'artifacts'>): Fact {
  const { files, more, missing, refused } = artifacts;
  const isLacking = missing.length + refused.length > 0;
  return {
    kind: 'artifacts',
    fields: [
      ['files', files.length + more],
      ['paths', files.map(({ path }) => path).join(',')],
      ['missing', missing.join(',')],
      ['refused', refused.map(({ path }) => path).join(',')],
    ],
    line: {
      sign: isLacking ? '!' : '·',
      label: 'artifacts',
      text: artifactWords(artifacts).join('; '),
      right: [],
      below: [],
    },
  };
}

export function artifactWords({ files, more, missing, refused }: AttestedFiles): string[] {
  const names = files.slice(0, namesMax).map(({ path }) => quotePath(path));
  const others = files.length - names.length + more;
  return [
    ...(names.length === 0 ? [] : [`${names.join(', ')}${others > 0 ? `, ${others} more` : ''}`]),
    ...missing.map((glob) => `missing: nothing fits ${clean(glob)}`),
    ...refused.map(({ path, why }) => `not attested: ${quotePath(path)}: ${clean(why)}`),
  ];
}

/** What was not left is never passed over, however well the run ended. */
export function lackingWords(artifacts: AttestedFiles): string[] {
  return artifactWords({ ...artifacts, files: [], more: 0 });
}
