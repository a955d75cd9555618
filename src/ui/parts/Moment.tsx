import { localTime, utcTime } from "../words.ts";

/** A moment in the reader's own zone; in UTC on hover. */
export function Moment({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={utcTime(at)}>
      {localTime(at)}
    </time>
  );
}
