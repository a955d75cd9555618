/** The reason of a signal when an ActionSet was deleted: its work ends and is tidied up. Any other reason leaves it to the next start. */
export class Canceled extends Error {
  override readonly name = "Canceled";
}

/** The reason when somebody asked for the end: the ActionSet stays, and says so. */
export class CanceledByRequest extends Canceled {}

/** What an ActionSet that was canceled says of itself; viewers know it by its first word. */
export const canceledMessage = "canceled by request";

/** Whether a signal has fired because the work is not wanted any more. */
export function isCanceled(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof Canceled;
}
