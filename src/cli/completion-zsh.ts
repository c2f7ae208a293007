/** Completion for zsh 5. */
import {
  type CompletionEntry,
  spellings,
  type ValueRule,
  valueRules,
  type Word,
} from './completion-table.ts';
import type { FlagSpec } from './parse.ts';

/** Words and flags are told with what they are for, runs with their state. */
export function zshScript(table: readonly CompletionEntry[]): string {
  return `#compdef pawl
# Completion of pawl for zsh:  source <(pawl completion zsh)  after compinit, or the file as _pawl in $fpath

# What may follow a verb: words, flags, and the flags that take a value.
_pawl_table() {
  case "$1" in
${table.map(entryCase).join('\n')}
    (*) return 1 ;;
  esac
}

# The values of a flag of a verb; fails when nobody can guess them.
_pawl_values() {
  case "$1 $2" in
${valueRules(table).map(valueCase).join('\n')}
    (*) return 1 ;;
  esac
}

_pawl_offer() {
  case "$1" in
    (@runs)
      local -a runs
      runs=(\${(f)"$(\${(Q)words[1]} completion runs 2>/dev/null)"})
      runs=(\${runs/$'\\t'/:})
      _describe run runs ;;
    (@files) _files ;;
    (@folders) _files -/ ;;
    (*) compadd -- \${=1} ;;
  esac
}

_pawl() {
  local current="\${words[CURRENT]}" before="\${words[CURRENT-1]}"
  local verb="" follows="" word
  local -a known flags takes
  local -i i
  _pawl_table ""
  for (( i = 2; i < CURRENT; i++ )); do
    word="\${words[i]}"
    if [[ $word == "--" ]]; then return
    elif (( \${takes[(Ie)$word]} )); then i=$((i + 1))
    elif [[ $word == -* ]]; then continue
    elif [[ -z $verb ]]; then verb="$word"; _pawl_table "$verb" || return
    elif _pawl_table "$verb $word"; then verb="$verb $word"; fi
  done
  if (( \${takes[(Ie)$before]} )); then
    follows="$(_pawl_values "$verb" "$before")" && _pawl_offer "$follows"
  elif [[ $current == -* ]]; then _describe flag flags
  elif [[ -n $follows ]]; then _pawl_offer "$follows"
  else _describe word known; fi
}
if [[ \${funcstack[1]} == _pawl ]]; then _pawl "$@"; else compdef _pawl pawl; fi
`;
}

function entryCase({ verb, flags, follows }: CompletionEntry): string {
  const isOfStore = typeof follows === 'string';
  const taking = flags.filter(({ kind }) => kind !== 'switch');
  return [
    `    ("${verb}")`,
    `      follows="${isOfStore ? `@${follows}` : ''}"`,
    `      known=(${isOfStore ? '' : follows.map(told).join(' ')})`,
    `      flags=(${flags.flatMap(toldFlag).join(' ')})`,
    `      takes=(${taking.flatMap(spellings).join(' ')}) ;;`,
  ].join('\n');
}

function valueCase({ verb, name, values }: ValueRule): string {
  const offered = typeof values === 'string' ? `@${values}` : values.join(' ');
  return `    ("${verb} ${name}") echo "${offered}" ;;`;
}

const told = ({ word, says }: Word): string => quoted(says === '' ? word : `${word}:${says}`);
const toldFlag = (flag: FlagSpec): readonly string[] =>
  spellings(flag).map((name) => quoted(`${name}:${flag.says}`));
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
