import { isRecord, parseQuantity } from "../../api/index.ts";

type Amounts = Readonly<Record<string, string>>;

/** What the pods that hold volumes ask for, as Kubernetes has it. */
export interface PodResources {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

const fields = { cpu: "cpu", memory: "memory", ephemeralStorage: "ephemeral-storage" } as const;

/**
 * Reads upstream's `podResources`. "0" and what is left out is nothing; upstream takes a block in which one of the first four is left out for
 * wrong as a whole. A block that the API server would refuse is a fault in words.
 */
export function readPodResources(found: unknown): PodResources | { readonly fault: string } {
  if (!isRecord(found)) return { fault: "it is no object" };
  const amounts: Record<"requests" | "limits", Record<string, string>> = { requests: {}, limits: {} };
  for (const [field, name] of Object.entries(fields)) {
    for (const [suffix, kind] of [["Request", "requests"] as const, ["Limit", "limits"] as const]) {
      const text = found[`${field}${suffix}`] ?? "";
      if (text === "" || text === "0") continue;
      const amount = typeof text === "string" ? parseQuantity(text) : undefined;
      if (typeof text !== "string" || amount === undefined || amount <= 0)
        return { fault: `${field}${suffix} is ${JSON.stringify(text).slice(0, 80)}, not a quantity` };
      amounts[kind][name] = text;
    }
    const [least, most] = [amounts.requests[name], amounts.limits[name]];
    if (least && most && (parseQuantity(least) ?? 0) > (parseQuantity(most) ?? 0))
      return { fault: `${field}Request is above ${field}Limit` };
  }
  return amounts;
}
