/** Completion for fish 3. */
import { type CompletionEntry, valuesOf } from './completion-table.ts';
import type { FlagSpec } from './parse.ts';

/** Every line says when it counts: at this verb and at no other. */
export function fishScript(table: readonly CompletionEntry[]): string {
  const groups = table.filter(({ verb }) =>
    table.some((other) => other.verb.startsWith(`${verb} `)),
  );
  const taking = (table[0]?.flags ?? []).filter(({ kind }) => kind !== 'switch');
  const names = taking.flatMap(({ name, short = '' }) => [`--${name}`, `-${short}`]);
  return `# Completion of pawl for fish:  pawl completion fish > ~/.config/fish/completions/pawl.fish

# The verb that was typed, of one word or of two; nothing before it.
function __pawl_verb
    set -l verb
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip -eq 1
            set skip 0
        else if contains -- $word ${names.join(' ')}
            set skip 1
        else if not string match -q -- '-*' $word
            set -a verb $word
            if not contains -- $verb[1] ${groups
              .map(({ verb }) => verb)
              .filter((verb) => verb !== '')
              .join(' ')}
                break
            end
        end
    end
    test (count $verb) -gt 2; and set verb $verb[1..2]
    string join ' ' -- $verb
end
function __pawl_at
    test (__pawl_verb | string collect -a) = "$argv"
end
function __pawl_runs
    set -l program (commandline -opc)[1]
    $program completion runs 2>/dev/null
end

complete -c pawl -f
${table.flatMap(entryLines).join('\n')}
`;
}

function entryLines({ verb, flags, follows }: CompletionEntry): readonly string[] {
  const at = `complete -c pawl -n ${quoted(`__pawl_at ${verb === '' ? "''" : verb}`)}`;
  const words =
    follows === 'runs'
      ? [`${at} -a '(__pawl_runs)'`]
      : follows === 'files'
        ? [`${at} -F`]
        : follows.map(({ word, says }) => `${at} -a ${word}${description(says)}`);
  return [...words, ...flags.map((flag) => `${at}${flagWords(flag)}`)];
}

function flagWords(flag: FlagSpec): string {
  const { name, short, says } = flag;
  const values = valuesOf(flag);
  const listed = Array.isArray(values) ? ` -a ${quoted(values.join(' '))}` : '';
  const takes =
    typeof values === 'string' ? ' -r -F' : flag.kind === 'switch' ? '' : ` -x${listed}`;
  return `${short === undefined ? '' : ` -s ${short}`} -l ${name}${takes}${description(says)}`;
}

const description = (says: string): string => (says === '' ? '' : ` -d ${quoted(says)}`);
const quoted = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
