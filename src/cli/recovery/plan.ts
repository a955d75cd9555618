import { parseQuantity } from "../../api/index.ts";
import { forecast, type Place } from "../../engines/recovery/index.ts";
import { AppError } from "../../errors.ts";
import { withBucket } from "../bucket/open.ts";
import { reachable } from "../bucket/reach.ts";
import { type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { gather } from "./gather.ts";
import { recoveryWords } from "./words.ts";

/** Tells how long restoring everything that a bucket holds would take; returns the exit code. */
export async function runRecoveryPlan(input: Input, io: Io, signal: AbortSignal): Promise<number> {
  const place = placeOf(input);
  const from = input.args.length > 0 ? input : { ...input, args: ["default"] };
  return await reachable(io, () =>
    withBucket(
      from,
      io,
      async ({ store, name }) => {
        const gathered = await gather(store, Date.now(), signal);
        const told = forecast(gathered.backups, place);
        if (text(input, "output") === "json") {
          const { missing } = gathered;
          io.out(`${JSON.stringify({ bucket: name, place, forecast: told, missing }, null, 2)}\n`);
        } else io.out(recoveryWords(told, gathered, place, io.terminal?.columns));
        return gathered.missing.length > 0 ? 1 : 0;
      },
      signal,
    ),
  );
}

function placeOf(input: Input): Place {
  const [nodes, each] = [whole(input, "nodes"), whole(input, "concurrency")];
  const given = text(input, "bandwidth");
  if (given === undefined) return { slots: nodes * each };
  const bytesPerSecond = parseQuantity(given.replace(/(?:B|\/s|B\/s)$/, ""));
  if (bytesPerSecond === undefined || !(bytesPerSecond > 0))
    throw usage(`--bandwidth takes bytes a second such as 100Mi or 50M, not "${given}"`);
  return { slots: nodes * each, bytesPerSecond };
}

function whole(input: Input, flag: string): number {
  const given = text(input, flag) ?? "";
  if (!/^[1-9][0-9]{0,3}$/.test(given))
    throw usage(`--${flag} takes a number from 1 to 9999, not "${given}"`);
  return Number(given);
}

function usage(message: string): AppError {
  return new AppError("USAGE", message, { retry: false });
}
