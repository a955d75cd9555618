import { isRecord, type Json } from "../args.ts";

/** A condition with its `{ $.path }` fragments replaced by the values there. A path that leads nowhere is an error, an odd one is empty. */
export function fillPaths(text: string, object: Json): string {
  return text.replaceAll(/\{\s*(\$[^{}]*?)\s*\}/g, (_all, path: string) => {
    const steps = parsePath(path);
    if (!steps) return "";
    const found = steps.reduce<readonly unknown[]>((values, step) => values.flatMap(step), [object]);
    if (found.length === 0) throw new PathError(`${path} is not there`);
    return found.map(textOf).join(" ");
  });
}

/** A path that leads nowhere. */
class PathError extends Error {}

/** Whether an error only says that something is not there yet. */
export function isPathError(error: unknown): boolean {
  return error instanceof PathError;
}

type Step = (value: unknown) => readonly unknown[];

/** Names, indexes, `[*]`, `.*`, and filters by equality, which is what conditions use of JSONPath. */
function parsePath(path: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  const pattern =
    /\.([A-Za-z0-9_-]+)|\['([^']+)'\]|\["([^"]+)"\]|\[(-?\d+)\]|(?:\[\*\]|\.\*)|\[\?\(\s*@((?:\.[A-Za-z0-9_-]+)+)\s*(==|!=)\s*("[^"]*"|'[^']*'|[\w.-]+)\s*\)\]/y;
  pattern.lastIndex = 1; // after the $
  while (pattern.lastIndex < path.length) {
    const found = pattern.exec(path);
    if (!found) return undefined;
    const [, name, quoted, double, index, names, operator, literal] = found;
    const key = name ?? quoted ?? double;
    if (key !== undefined) steps.push((value) => field(value, key));
    else if (index !== undefined) steps.push((value) => element(value, Number(index)));
    else if (names !== undefined)
      steps.push(filter(names.slice(1).split("."), operator === "==", literal ?? ""));
    else steps.push((value) => (Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : []));
  }
  return steps;
}

function field(value: unknown, key: string): readonly unknown[] {
  return isRecord(value) && Object.hasOwn(value, key) ? [value[key]] : [];
}

function element(value: unknown, index: number): readonly unknown[] {
  const found: unknown = Array.isArray(value) ? value.at(index) : undefined;
  return found === undefined ? [] : [found];
}

function filter(names: readonly string[], wantsEqual: boolean, literal: string): Step {
  const wanted = literal.replace(/^(["'])(.*)\1$/, "$2");
  return (value) =>
    (Array.isArray(value) ? value : []).filter((one: unknown) => {
      const [found] = names.reduce<readonly unknown[]>(
        (values, name) => values.flatMap((v) => field(v, name)),
        [one],
      );
      return (textOf(found) === wanted) === wantsEqual;
    });
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}
