/**
 * Completion scripts by shell. Each asks the program itself for the words that may come next, so that it knows flags behind arguments,
 * values and the names in the cluster; it says nothing when it knows nothing.
 */
export const scripts: Readonly<Record<string, string>> = {
  bash: `# bash completion for headway: source <(headway completion bash)
_headway() {
  local line words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  # Bash breaks words at "=" and ":"; what stands in front of the last break is not to be repeated.
  local typed="\${COMP_LINE:0:COMP_POINT}"
  local current="\${typed##*[[:space:]]}"
  local cut="\${current%"\${COMP_WORDS[COMP_CWORD]}"}"
  read -ra words <<< "\${typed#*[[:space:]]}"
  [[ "$typed" == *[[:space:]] ]] && words+=("")
  COMPREPLY=()
  while IFS=$'\\t' read -r line _; do
    [[ "$line" == "$current"* ]] && COMPREPLY+=("\${line#"$cut"}")
  done < <(headway __complete -- "\${words[@]}" 2>/dev/null)
  [[ \${#COMPREPLY[@]} -eq 1 && "\${COMPREPLY[0]}" == *[=/,] ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _headway headway
`,
  zsh: `#compdef headway
# zsh completion for headway: source <(headway completion zsh)
_headway() {
  local line
  local -a items
  while IFS= read -r line; do
    items+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <(headway __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#items} )); then _describe 'headway' items; else _files; fi
}
compdef _headway headway
`,
  fish: `# fish completion for headway: headway completion fish | source
function __headway_words
    set -l typed (commandline -opc) (commandline -ct)
    headway __complete -- $typed[2..-1] 2>/dev/null
end
complete -c headway -f -a '(__headway_words)'
`,
};
