/** Why a receiver could not be told. Never leaves this room but as words. */
export class Refused extends Error {
  /** Whether the same may pass later. */
  readonly retry: boolean;
  /** The receiver's own word on when. */
  readonly afterMs: number | undefined;
  /** The message that was to be edited is gone. */
  readonly isLost: boolean;

  constructor(
    message: string,
    { retry, afterMs, isLost = false }: { retry: boolean; afterMs?: number | undefined; isLost?: boolean },
  ) {
    super(message);
    this.retry = retry;
    this.afterMs = afterMs;
    this.isLost = isLost;
  }
}
