/**
 * What `make <goals>` runs, as far as the text of a Makefile tells: the recipes of the goals and of
 * what they depend on, with the variables of the file put in. No more of the language is read; a
 * word too few only means that a change is named and not asked about.
 */

interface MakeRule {
  readonly needs: readonly string[];
  readonly recipe: readonly string[];
}

const rulesMax = 200;

/** The goals that a command line names; none means the first of the file. */
export function goalsOf(command: string): readonly string[] {
  const calls = [...command.matchAll(/(?:^|[\s;&|(])g?make\s+([^;&|\n)]*)/g)];
  return calls.flatMap(([, words = '']) =>
    words.split(/\s+/).filter((word) => /^[\w./%-]+$/.test(word) && !word.startsWith('-')),
  );
}

export interface Made {
  /** Command lines, without make's own marks. */
  readonly commands: readonly string[];
  /** Files that `include` reads. */
  readonly includes: readonly string[];
}

export function recipesOf(text: string, goals: readonly string[]): Made {
  const lines = text.replace(/\\\r?\n/g, ' ').split(/\r?\n/);
  const variables = variablesOf(lines);
  const rules = rulesOf(lines, (line) => withVariables(line, variables));
  const first = [...rules.keys()].find((target) => !target.startsWith('.'));
  const wanted = goals.length > 0 ? [...goals] : first === undefined ? [] : [first];
  const seen = new Set<string>();
  const commands: string[] = [];
  for (let goal = wanted.pop(); goal !== undefined; goal = wanted.pop()) {
    const rule = rules.get(goal);
    if (rule === undefined || seen.has(goal) || seen.size >= rulesMax) continue;
    seen.add(goal);
    commands.push(...rule.recipe);
    wanted.push(...rule.needs);
  }
  const includes = lines.flatMap((line) => {
    const words = /^[-s]?include\s+(.+)$/.exec(line)?.[1] ?? '';
    return withVariables(words, variables).split(/\s+/).filter(Boolean);
  });
  return { commands, includes };
}

function variablesOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>([['MAKE', 'make']]);
  for (const line of lines) {
    const match = /^(?:export\s+|override\s+)?(\w+)\s*(?::{0,3}|\?)=\s*(.*)$/.exec(line);
    if (match?.[1] !== undefined) found.set(match[1], match[2] ?? '');
  }
  return found;
}

/** Variables name variables, but not for ever. */
function withVariables(line: string, variables: ReadonlyMap<string, string>): string {
  let text = line;
  for (let depth = 0; depth < 3; depth += 1) {
    text = text
      .replace(/\$[({](\w+)[)}]/g, (whole, name: string) => variables.get(name) ?? whole)
      .slice(0, 4_000);
  }
  return text;
}

type Rules = Map<string, { readonly needs: string[]; readonly recipe: string[] }>;

function rulesOf(
  lines: readonly string[],
  put: (line: string) => string,
): ReadonlyMap<string, MakeRule> {
  const rules: Rules = new Map();
  let open: readonly string[] = [];
  for (const line of lines) {
    if (line.startsWith('\t')) {
      const command = put(line)
        .trim()
        .replace(/^[@+-]+\s*/, '');
      for (const target of open) rules.get(target)?.recipe.push(command);
    } else open = headOf(put(line), rules) ?? open;
  }
  return rules;
}

/** The targets of a rule's first line, which are noted; null where the line is none. */
function headOf(line: string, rules: Rules): readonly string[] | null {
  const head = /^([^\s#:=][^#:=]*)::?(?!=)([^=#;]*)(?:;(.*))?/.exec(line);
  if (head === null) return null;
  const [, targets = '', needs = '', inline] = head;
  const open = targets.trim().split(/\s+/);
  for (const target of open) {
    const rule = rules.get(target) ?? { needs: [], recipe: [] };
    rule.needs.push(...needs.split(/\s+/).filter(Boolean));
    if (inline !== undefined) rule.recipe.push(inline.trim());
    rules.set(target, rule);
  }
  return open;
}
