import { Canceled } from "../../kube/index.ts";

/** The reason when somebody asked for the end: the ActionSet stays, and says so. */
export class CanceledByRequest extends Canceled {}

/** What an ActionSet that was canceled says of itself; viewers know it by its first word. */
export const canceledMessage = "canceled by request";

/** Whether a signal has fired because the work is not wanted any more. */
export function isCanceled(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof Canceled;
}
