import { type ActionState, readActionState } from "../../api/index.ts";
import type { State } from "../../progress/index.ts";
import { isCancelReason } from "../run/phase.ts";

const states: Readonly<Record<ActionState, State>> = {
  pending: "pending",
  running: "running",
  failed: "failed",
  complete: "completed",
};

/** What tells where an ActionSet stands. */
export interface ActionStatus {
  readonly state?: string | null;
  readonly error?: { readonly message?: string | null } | null;
}

/** The state of an ActionSet. Upstream has no word for canceled: such a set has failed, and its error says so. */
export function actionStateOf(status: ActionStatus | null | undefined): State {
  const state = phaseStateOf(status?.state);
  return state === "failed" && isCancelReason(status?.error?.message) ? "canceled" : state;
}

/** Whether nothing more will be done for an ActionSet. */
export function isActionEnded(status: ActionStatus | null | undefined): boolean {
  const state = phaseStateOf(status?.state);
  return state === "completed" || state === "failed";
}

/** The state of a phase, or of a set as its own word has it; anything unknown is pending. */
export function phaseStateOf(text: string | null | undefined): State {
  return states[readActionState(text) ?? "pending"];
}

/** The word that a state is written as. Upstream has none for what was skipped: it never began. */
export function actionStateFor(state: State): ActionState {
  switch (state) {
    case "pending":
    case "skipped":
      return "pending";
    case "running":
      return "running";
    case "completed":
      return "complete";
    case "partially-failed":
    case "failed":
    case "canceled":
      return "failed";
  }
}
