/**
 * Marks that stand for values of the chart in objects of `headway install`. Values that are text need none: they are templates already.
 */
export const mark = {
  /** A map or a list under its key; no key when it is empty. */
  whole: (expression: string) => `@@whole ${expression}@@`,
  /** More items of a list. */
  items: (expression: string) => `@@items ${expression}@@`,
  /** The key of more entries of a map. */
  entries: (expression: string) => `@@entries ${expression}@@`,
  /** A number or a boolean. */
  raw: (expression: string) => `@@raw ${expression}@@`,
  /** Lines of a template, made elsewhere, under its key. */
  lines: (name: string) => `@@lines ${name}@@`,
};

const marked = /^( *)(?:- )?(?:([\w.]+): )?(["']?)@@(whole|items|entries|raw|lines) (.*)@@\3(?:: "")?$/;

/** The text of a template: every mark becomes what Helm understands. `lines` are by name, without indentation. */
export function fill(text: string, lines: ReadonlyMap<string, string> = new Map()): string {
  const done = text
    .split("\n")
    .map((line) => filled(line, lines))
    .join("\n");
  if (done.includes("@@"))
    throw new Error(`a mark stands where none is understood: ${/.*@@.*/.exec(done)?.[0]}`);
  return done;
}

function filled(line: string, lines: ReadonlyMap<string, string>): string {
  const found = marked.exec(line);
  if (!found) return line;
  const [, indent = "", key = "", quote, form, expression = ""] = found;
  if (quote === '"' && expression.includes("\\")) throw new Error(`a mark is escaped: ${expression}`);
  const inside = `{{- toYaml . | nindent `;
  switch (form) {
    case "whole":
      return `${indent}{{- with ${expression} }}\n${indent}${key}:\n${indent}  ${inside}${indent.length + 2} }}\n${indent}{{- end }}`;
    case "items":
    case "entries":
      return `${indent}{{- with ${expression} }}\n${indent}${inside}${indent.length} }}\n${indent}{{- end }}`;
    case "raw":
      return `${indent}${key}: {{ ${expression} }}`;
    default: {
      const body = lines.get(expression);
      if (body === undefined) throw new Error(`there are no lines "${expression}"`);
      return `${indent}${key}:\n${body.replaceAll(/^(?=[^{\n])/gm, `${indent}  `).trimEnd()}`;
    }
  }
}
