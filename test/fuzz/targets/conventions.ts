import {
  formatGoDuration,
  formatTime,
  grammar,
  includeExcludeFaults,
  isLegalGlob,
  matchesGlob,
  parseArchiveEntry,
  parseGoDurationMs,
  parseQuantity,
  parseTimeMs,
  readActionProgress,
  readPercent,
  readPeriod,
  selectorFault,
  selectorQuery,
  selects,
  stepCount,
} from "../../../src/api/index.ts";
import { nextTime, parseCron } from "../../../src/engines/backup/cron.ts";
import { expiryFault, tokenEnd } from "../../../src/engines/migration/token-expiry.ts";
import { labelValue } from "../../../src/kube/index.ts";
import { formatBytes, formatDuration, formatPercent, formatRate } from "../../../src/progress/index.ts";
import { mutateText } from "../bytes.ts";
import { hostileNumber, hostileText } from "../json.ts";
import type { Random } from "../random.ts";
import { BrokenLaw, target } from "../target.ts";

const samples = [
  "*/5 0-6 1,15 JAN-mar mon",
  "0 3 * * *",
  "@every 1h30m",
  "@daily",
  "CRON_TZ=UTC 0 0 29 2 *",
  "59 23 31 12 7",
  "1h30m0.5s",
  "-1.5h",
  "300us",
  "10Gi",
  "1.5e3",
  "100m",
  "app in (a,b),!c,d=e",
  "shop-*",
  "[a-c]?*",
  "*.apps",
  "2026-11-16T10:00:00.123Z",
  "resources/pods/v1-preferredversion/namespaces/shop/web-0.json",
  "Step: 7/33",
  "42.5%",
  "eyJhbGciOiJub25lIn0.eyJleHAiOjE4MDAwMDAwMDB9.x",
];

export const conventions = target<{ readonly text: string; readonly other: string; readonly number: number }>(
  {
    name: "conventions",
    covers:
      "small languages in fields: cron, Go's durations, quantities, times, globs, selectors, names, tokens, numbers to be shown",
    make: (random) => ({ text: someText(random), other: someText(random), number: hostileNumber(random) }),
    run({ text, other, number }) {
      const ms = parseGoDurationMs(text);
      if (ms !== undefined && Number.isNaN(ms))
        throw new BrokenLaw(`duration ${JSON.stringify(text)} is NaN`);
      if (ms !== undefined) formatGoDuration(ms);
      const cron = parseCron(text, parseGoDurationMs);
      if (typeof cron !== "string") checkNext(nextTime(cron, 1_800_000_000_000 + (number % 1e9)));
      parseQuantity(text);
      const at = parseTimeMs(text);
      if (at !== undefined) formatTime(at);
      isLegalGlob(text);
      matchesGlob(text, other);
      includeExcludeFaults({ includes: [text, other], excludes: [other] });
      const selector = {
        matchLabels: { [text]: other },
        matchExpressions: [{ key: text, operator: other, values: [text] }],
      };
      selectorFault(selector);
      selects(selector, { [text]: other });
      selectorQuery(selector);
      parseArchiveEntry(text);
      for (const { fits } of Object.values(grammar)) fits(text);
      readPeriod("f", text, 60_000);
      readPercent(text);
      readActionProgress({ progressPercent: text, sizeDownloadedB: other, uploaded: number });
      stepCount(text);
      labelValue(text);
      expiryFault("c", tokenEnd(text), 1_800_000_000_000);
      showNumbers(number);
    },
  },
);

function someText(random: Random): string {
  if (random.oneIn(20)) {
    const claims = JSON.stringify({ exp: hostileNumber(random) });
    return `e30.${Buffer.from(claims).toString("base64url")}.x`;
  }
  return random.oneIn(5) ? hostileText(random) : mutateText(random, random.of(samples), random.of(samples));
}

function checkNext(at: number | undefined): void {
  if (at !== undefined && !(at > 1_800_000_000_000 - 1e9)) throw new BrokenLaw(`the next time is ${at}`);
}

function showNumbers(number: number): void {
  formatBytes(number);
  formatDuration(number);
  formatRate(number, "bytes");
  formatPercent(number);
}
