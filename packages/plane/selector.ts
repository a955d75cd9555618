import { badRequest } from "./status.ts";

/** One condition on a label. */
export interface Requirement {
  readonly key: string;
  readonly op: "=" | "!=" | "in" | "notin" | "exists" | "!exists" | ">" | "<";
  readonly values: readonly string[];
}

const name = /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Reads a label selector of a query, such as `a=b,c in (d,e),!f`; refuses what it cannot read with a 400. */
export function parseLabelSelector(text: string): readonly Requirement[] {
  return splitTop(text).map((part) => requirement(part));
}

/** Whether labels meet every requirement. */
export function matchesLabels(
  requirements: readonly Requirement[],
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  return requirements.every((r) => meets(r, labels?.[r.key]));
}

/** Conditions of a field selector: path, wanted value, and whether it must be equal or different. */
export interface FieldRequirement {
  readonly path: string;
  readonly value: string;
  readonly equal: boolean;
}

/** Reads a field selector such as `metadata.name=a,status.phase!=Running`. */
export function parseFieldSelector(text: string): readonly FieldRequirement[] {
  return splitTop(text).map((part) => {
    const found = /^([^=!]+?)\s*(!=|==|=)\s*(.*)$/.exec(part.trim());
    if (!found) throw badRequest(`invalid field selector: "${text}"; can't understand "${part}"`);
    const [, path = "", op, value = ""] = found;
    return { path, value: value.replaceAll(/\\(.)/g, "$1"), equal: op !== "!=" };
  });
}

function meets(r: Requirement, value: string | undefined): boolean {
  switch (r.op) {
    case "exists":
      return value !== undefined;
    case "!exists":
      return value === undefined;
    case "=":
    case "in":
      return value !== undefined && r.values.includes(value);
    case "!=":
    case "notin":
      return value === undefined || !r.values.includes(value);
    case ">":
      return value !== undefined && Number(value) > Number(r.values[0]);
    case "<":
      return value !== undefined && Number(value) < Number(r.values[0]);
  }
}

function requirement(part: string): Requirement {
  const text = part.trim();
  const set = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(text);
  const pair = /^([^\s=!<>]+)\s*(==|!=|=|>|<)\s*(\S*)$/.exec(text);
  if (set) {
    const [, key = "", op = "in", list = ""] = set;
    return checked({ key, op: op as "in" | "notin", values: list.split(",").map((v) => v.trim()) });
  }
  if (pair) {
    const [, key = "", sign = "=", value = ""] = pair;
    return checked({ key, op: (sign === "==" ? "=" : sign) as Requirement["op"], values: [value] });
  }
  if (/^!\s*\S+$/.test(text)) return checked({ key: text.slice(1).trim(), op: "!exists", values: [] });
  return checked({ key: text, op: "exists", values: [] });
}

function checked(r: Requirement): Requirement {
  if (!name.test(r.key))
    throw badRequest(
      `unable to parse requirement: <nil>: Invalid value: "${r.key}": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    );
  for (const value of r.values) {
    if (value !== "" && !/^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(value)) {
      throw badRequest(
        `unable to parse requirement: values[0][${r.key}]: Invalid value: "${value}": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      );
    }
  }
  return r;
}

/** Splits on commas that are not inside parentheses. */
function splitTop(text: string): string[] {
  const parts = text.split(/,(?![^(]*\))/);
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}
