import type { LabelExpression, LabelSelector } from "./label-selector.ts";

/** Reads `a=b,c!=d,e in (f,g),!h` as kubectl does; undefined when it is no selector. */
export function parseSelector(text: string): LabelSelector | undefined {
  const matchLabels: Record<string, string> = {};
  const matchExpressions: LabelExpression[] = [];
  for (const part of text.split(/,(?![^(]*\))/).map((one) => one.trim())) {
    const set = /^([^\s!=]+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(part);
    const equal = /^([^\s!=]+)\s*(=|==|!=)\s*([^\s=]*)$/.exec(part);
    const exists = /^(!?)([^\s!=()]+)$/.exec(part);
    if (set) {
      const values = (set[3] ?? "").split(",").map((value) => value.trim());
      matchExpressions.push({ key: set[1] ?? "", operator: set[2] === "in" ? "In" : "NotIn", values });
    } else if (equal && equal[2] === "!=") {
      matchExpressions.push({ key: equal[1] ?? "", operator: "NotIn", values: [equal[3] ?? ""] });
    } else if (equal) matchLabels[equal[1] ?? ""] = equal[3] ?? "";
    else if (exists)
      matchExpressions.push({ key: exists[2] ?? "", operator: exists[1] ? "DoesNotExist" : "Exists" });
    else return undefined;
  }
  return {
    ...(Object.keys(matchLabels).length > 0 && { matchLabels }),
    ...(matchExpressions.length > 0 && { matchExpressions }),
  };
}
