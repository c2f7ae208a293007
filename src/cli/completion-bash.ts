/** Completion for bash 3.2 and newer. */
import { type CompletionEntry, spellings, type ValueRule, valueRules } from './completion-table.ts';

/** `runs` are asked of the program itself, which looks into the store and starts nothing. */
export function bashScript(table: readonly CompletionEntry[]): string {
  return `# Completion of pawl for bash:  source <(pawl completion bash)

# What may follow a verb: words, flags, and the flags that take a value.
_pawl_table() {
  case "$1" in
${table.map(entryCase).join('\n')}
    *) return 1 ;;
  esac
}

# The values of a flag of a verb; fails when nobody can guess them.
_pawl_values() {
  case "$1 $2" in
${valueRules(table).map(valueCase).join('\n')}
    *) return 1 ;;
  esac
}

_pawl_offer() {
  local offered="$1"
  case "$offered" in
    @runs) offered="$("\${COMP_WORDS[0]}" completion runs 2>/dev/null | cut -f 1)" ;;
    @files)
      compopt -o filenames 2>/dev/null
      COMPREPLY=($(compgen -f -- "$2"))
      return ;;
    @folders)
      compopt -o filenames 2>/dev/null
      COMPREPLY=($(compgen -d -- "$2"))
      return ;;
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$2"))
}

_pawl() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  local verb="" words="" flags="" takes="" offered="" word i
  COMPREPLY=()
  if [[ $current == "=" ]]; then current=""
  elif [[ $before == "=" ]]; then before="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  _pawl_table ""
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ $word == "--" ]]; then return
    elif [[ " $takes " == *" $word "* ]]; then
      i=$((i + 1))
      [[ "\${COMP_WORDS[i]}" == "=" ]] && i=$((i + 1))
    elif [[ $word == -* || $word == "=" ]]; then continue
    elif [[ -z $verb ]]; then verb="$word"; _pawl_table "$verb" || return
    elif _pawl_table "$verb $word"; then verb="$verb $word"; fi
  done
  if [[ " $takes " == *" $before "* ]]; then
    offered="$(_pawl_values "$verb" "$before")" && _pawl_offer "$offered" "$current"
  elif [[ $current == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$current"))
  else _pawl_offer "$words" "$current"; fi
}
complete -F _pawl pawl
`;
}

function entryCase({ verb, flags, follows }: CompletionEntry): string {
  const words =
    typeof follows === 'string' ? `@${follows}` : follows.map(({ word }) => word).join(' ');
  const taking = flags.filter(({ kind }) => kind !== 'switch');
  return [
    `    "${verb}")`,
    `      words="${words}"`,
    `      flags="${flags.flatMap(spellings).join(' ')}"`,
    `      takes="${taking.flatMap(spellings).join(' ')}" ;;`,
  ].join('\n');
}

function valueCase({ verb, name, values }: ValueRule): string {
  const offered = typeof values === 'string' ? `@${values}` : values.join(' ');
  return `    "${verb} ${name}") echo "${offered}" ;;`;
}
