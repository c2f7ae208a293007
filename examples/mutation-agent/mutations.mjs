/**
 * The changes this agent knows: each is what a programmer writes by mistake, turned round.
 * The order of the table is the order in which kinds of mistakes are suspected.
 */
const kinds = [
  {
    name: 'comparator',
    find: /\.(?:sort|toSorted)\(\s*\)/g,
    to: (text) => [text.replace(/\(\s*\)/, '((a, b) => a - b)')],
  },
  {
    name: 'comparison',
    find: /(?<![=<>!])(?:===|!==|<=|>=|<(?!<)|(?<!=)>(?!>))(?!=)/g,
    to: (text) => comparisons[text] ?? [],
  },
  {
    name: 'arithmetic',
    find: /(?<=[\w$)\]] )[-+*/%](?= [\w$([])/g,
    to: (text) => arithmetic[text],
  },
  {
    name: 'constant',
    find: /(?<![\w$.])\d+(?![\w$.])/g,
    to: (text) => [`${Number(text) + 1}`, ...(text === '0' ? [] : [`${Number(text) - 1}`])],
  },
  {
    name: 'rounding',
    find: /\bMath\.(?:min|max|floor|ceil|round)\b/g,
    to: (text) => rounding[text],
  },
  { name: 'logic', find: /&&|\|\|/g, to: (text) => [text === '&&' ? '||' : '&&'] },
  {
    name: 'boolean',
    find: /\b(?:true|false)\b/g,
    to: (text) => [text === 'true' ? 'false' : 'true'],
  },
];
const comparisons = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>'],
  '<=': ['<', '>='],
  '>': ['>=', '<'],
  '>=': ['>', '<='],
};
const arithmetic = { '+': ['-'], '-': ['+'], '*': ['/'], '/': ['*'], '%': ['/'] };
const rounding = {
  'Math.min': ['Math.max'],
  'Math.max': ['Math.min'],
  'Math.floor': ['Math.ceil', 'Math.round'],
  'Math.ceil': ['Math.floor', 'Math.round'],
  'Math.round': ['Math.floor', 'Math.ceil'],
};

/**
 * Every mutation of `mask[from, to)`, the likeliest first: by kind, and within a kind from the end
 * of the function backwards by line, since the value that a test sees is made in the last lines.
 */
export function mutationsOf(mask, { from, to }) {
  const found = [];
  const piece = mask.slice(0, to);
  for (const [rank, kind] of kinds.entries()) {
    for (const match of piece.matchAll(kind.find)) {
      if (match.index < from) continue;
      const line = mask.slice(0, match.index).split('\n').length;
      for (const [choice, text] of kind.to(match[0]).entries()) {
        found.push({
          kind: kind.name,
          at: match.index,
          before: match[0],
          after: text,
          line,
          order: [choice, rank, -line, match.index],
        });
      }
    }
  }
  return found.sort((a, b) => compare(a.order, b.order));
}

function compare(a, b) {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at === -1 ? 0 : a[at] - b[at];
}

export function apply(text, { at, before, after }) {
  return text.slice(0, at) + after + text.slice(at + before.length);
}
