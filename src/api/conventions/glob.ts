/** The characters that make a name a pattern. */
export function isGlob(text: string): boolean {
  return /[*?[]/.test(text);
}

/** Whether a pattern with `*`, `?` and `[a-c]` can be read; a bracket must close and hold something. */
export function isLegalGlob(pattern: string): boolean {
  return tokens(pattern) !== undefined;
}

/**
 * Whether a name matches a pattern; `*` crosses dots, because `*.apps` and `shop-*` are what people write.
 *
 * Walks the pattern with one step of memory, so that a hostile `*a*a*a*…` costs |pattern| × |name| and no more.
 */
export function matchesGlob(pattern: string, name: string): boolean {
  const parts = tokens(pattern);
  if (!parts) return pattern === name;
  let part = 0;
  let at = 0;
  let star = -1;
  let mark = 0;
  while (at < name.length) {
    const token = parts[part];
    if (token === "*") {
      star = part++;
      mark = at;
    } else if (token !== undefined && fits(token, name.charAt(at))) {
      part++;
      at++;
    } else if (star >= 0) {
      part = star + 1;
      at = ++mark;
    } else {
      return false;
    }
  }
  while (parts[part] === "*") part++;
  return part === parts.length;
}

type Token = "*" | "?" | { readonly char: string } | { readonly set: string; readonly not: boolean };

function tokens(pattern: string): Token[] | undefined {
  const found: Token[] = [];
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern.charAt(i);
    if (char === "*" || char === "?") found.push(char);
    else if (char === "[") {
      const end = pattern.indexOf("]", i + 2);
      if (end < 0) return undefined;
      const body = pattern.slice(i + 1, end);
      const not = body.startsWith("!") || body.startsWith("^");
      const set = not ? body.slice(1) : body;
      if (set === "") return undefined;
      found.push({ set, not });
      i = end;
    } else found.push({ char });
  }
  return found;
}

function fits(token: Exclude<Token, "*">, char: string): boolean {
  if (token === "?") return true;
  if ("char" in token) return token.char === char;
  return inSet(token.set, char) !== token.not;
}

function inSet(set: string, char: string): boolean {
  for (let i = 0; i < set.length; i++) {
    if (set.charAt(i + 1) === "-" && i + 2 < set.length) {
      if (char >= set.charAt(i) && char <= set.charAt(i + 2)) return true;
      i += 2;
    } else if (set.charAt(i) === char) return true;
  }
  return false;
}
