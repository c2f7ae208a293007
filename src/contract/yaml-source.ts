/** YAML with the place of every key and value, for messages of the form `pawl.yaml:7:3`. */
import { isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { RequestError } from '../kernel/errors.ts';

export type Path = readonly (string | number)[];

export interface YamlSource {
  /** As it is shown: a path relative to where the command was typed. */
  readonly name: string;
  readonly value: unknown;
  /** `name:line:column` of the key at the path, or of the nearest thing above it. */
  whereKey(path: Path): string;
  whereValue(path: Path): string;
}

/** @throws RequestError `yaml_syntax` at the first thing that is not YAML. */
export function parseYaml(name: string, text: string): YamlSource {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: true,
    prettyErrors: false,
  });
  const place = (offset: number): string => {
    const at = lines.linePos(offset);
    return `${name}:${at.line}:${at.col}`;
  };
  const broken = document.errors[0];
  if (broken !== undefined) {
    throw new RequestError('yaml_syntax', 'this cannot be read as YAML', {
      where: place(broken.pos[0]),
      found: broken.message,
      next: 'correct the line;   pawl config check  tries it',
    });
  }
  const offsetOf = (path: Path, key: boolean): number => {
    const node = key ? keyAt(document.contents, path) : document.getIn(path, true);
    if (isNode(node) && node.range) return node.range[0];
    return path.length === 0 ? 0 : offsetOf(path.slice(0, -1), false);
  };
  return {
    name,
    // Aliases are bounded by the parser (maxAliasCount), so a small file cannot become a huge
    // value.
    value: document.toJS({ maxAliasCount: 100 }) as unknown,
    whereKey: (path) => place(offsetOf(path, true)),
    whereValue: (path) => place(offsetOf(path, false)),
  };
}

function keyAt(root: unknown, path: Path): unknown {
  let at = root;
  for (const [index, step] of path.entries()) {
    if (isMap(at)) {
      const pair = at.items.find(
        (item) => isScalar(item.key) && String(item.key.value) === String(step),
      );
      if (pair === undefined) return undefined;
      if (index === path.length - 1) return pair.key;
      at = pair.value;
    } else return undefined;
  }
  return undefined;
}
