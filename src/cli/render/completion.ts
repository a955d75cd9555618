import { type Command, everywhere } from "../command.ts";

/** Completion scripts by shell. */
export const scripts: Readonly<Record<string, (root: Command) => string>> = { bash, zsh, fish };

interface Place {
  /** The words typed so far, `headway` first. */
  readonly path: string;
  readonly words: readonly (readonly [word: string, summary: string])[];
}

/** Every place of the tree with the words that may follow. */
function places(command: Command, above: string): Place[] {
  const path = above === "" ? command.name : `${above} ${command.name}`;
  const words = [
    ...(command.commands ?? []).map((child) => [child.name, child.summary] as const),
    ...[...(command.flags ?? []), ...everywhere].map((flag) => [`--${flag.name}`, flag.description] as const),
    ["--help", "show this help"] as const,
  ];
  return [{ path, words }, ...(command.commands ?? []).flatMap((child) => places(child, path))];
}

function bash(root: Command): string {
  const cases = places(root, "").map(
    ({ path, words }) => `    ${quote(path)}) words=${quote(words.map(([word]) => word).join(" "))} ;;`,
  );
  return `# bash completion for headway: source <(headway completion bash)
_headway() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path=headway words="" index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "\${COMP_WORDS[index]}" in -*) ;; *) path="$path \${COMP_WORDS[index]}" ;; esac
  done
  case "$path" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _headway headway
`;
}

function zsh(root: Command): string {
  const cases = places(root, "").map(({ path, words }) => {
    const items = words.map(([word, summary]) => quote(`${word}:${summary.replaceAll(":", " -")}`));
    return `    ${quote(path)}) items=(${items.join(" ")}) ;;`;
  });
  return `#compdef headway
# zsh completion for headway: source <(headway completion zsh)
_headway() {
  local path=headway index
  local -a items
  for ((index = 2; index < CURRENT; index++)); do
    case "\${words[index]}" in -*) ;; *) path="$path \${words[index]}" ;; esac
  done
  case "$path" in
${cases.join("\n")}
  esac
  _describe 'headway' items
}
compdef _headway headway
`;
}

function fish(root: Command): string {
  const lines = places(root, "").flatMap(({ path, words }) =>
    words.map(
      ([word, summary]) =>
        `complete -c headway -n ${quote(`__headway_at '${path}'`)} -a ${quote(word)} -d ${quote(summary)}`,
    ),
  );
  return `# fish completion for headway: headway completion fish | source
function __headway_at
    set -l path (string match -v -- '-*' (commandline -opc))
    test "$path" = "$argv[1]"
end
complete -c headway -f
${lines.join("\n")}
`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
