import type { Verdict } from "../../kinds/index.ts";
import { NotAsked } from "./not-asked.ts";
import type { Ended } from "./outcomes.ts";

/** What an item's end is called in a plan. */
export function verdictOf({ outcome, differs, error }: Ended): Verdict {
  switch (outcome) {
    case "created":
      return "create";
    case "updated":
      return "update";
    case "skipped":
      return "skip";
    case "failed":
      if (error instanceof NotAsked) return "unknown";
      return differs ? "conflict" : "refused";
  }
}
