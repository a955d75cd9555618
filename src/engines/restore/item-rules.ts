import { parse } from "yaml";
import { type ItemRules, isRecord, itemRuleSections, readItemRules } from "../../api/index.ts";
import { messageOf } from "../../errors.ts";

/** Reads the text of a resource policy for a restore; a string is the reason why it cannot be used. */
export function restoreRules(text: string): { readonly rules?: ItemRules } | string {
  try {
    const policy: unknown = parse(text, { logLevel: "error" });
    if (!isRecord(policy)) return "the policy is no mapping";
    for (const section of ["volumePolicies", "includeExcludePolicy"])
      if ((policy[section] ?? undefined) !== undefined) return `"${section}" is for backups only`;
    const known = ["version", "volumePolicies", "includeExcludePolicy", ...itemRuleSections];
    const odd = Object.keys(policy).find((key) => !known.includes(key));
    if (odd !== undefined) return `"${odd}" of the policy is not known`;
    if (policy["version"] !== "v1") return `version must be "v1", not ${JSON.stringify(policy["version"])}`;
    const rules = readItemRules(policy);
    return rules ? { rules } : {};
  } catch (error) {
    return messageOf(error);
  }
}
