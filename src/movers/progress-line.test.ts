import { expect, test } from "vitest";
import { readMoverLine } from "./progress-line.ts";

const bytes = (done: number, total?: number) => ({
  unit: "bytes",
  done,
  ...(total !== undefined && { total }),
});
const up = { direction: "up" };
const down = { direction: "down" };

test.each([
  [
    " / 1 hashing, 118 hashed (546.9 MB), 0 cached (0 B), uploaded 0 B, estimated 4.5 GB (12.1%) 35s left",
    { ...up, progress: bytes(546_850_000, 4_500_000_000), sentBytes: 0, cachedBytes: 0, etaSeconds: 35 },
  ],
  [
    " * 0 hashing, 136 hashed (1.4 GB), 0 cached (0 B), uploaded 244 B, estimated 4.5 GB (30.1%) 30s left   ",
    {
      ...up,
      // 30.1 %, as far as 1.4 GB allow it
      progress: bytes(1_350_000_000, 4_500_000_000),
      sentBytes: 244,
      cachedBytes: 0,
      etaSeconds: 30,
    },
  ],
  [
    "| 4 hashing, 12 hashed (8 KB), 3 cached (1.2 MB), uploaded 7.5 KB, estimating...",
    { ...up, progress: bytes(1_157_950), sentBytes: 7_500, cachedBytes: 1_150_000 },
  ],
  [
    "- 2 hashing, 900 hashed (1.5 TB), 40 cached (64 GB), uploaded 512.3 GB (2 fatal errors) (7 errors ignored), estimated 3 TB (52.1%) 2h34m4s left",
    {
      ...up,
      progress: bytes(1_535_475_000_000, 3e12),
      sentBytes: 512_300_000_000,
      cachedBytes: 63_950_000_000,
      etaSeconds: 9244,
    },
  ],
  [
    "\\ 0 hashing, 50 hashed (3 GB), 0 cached (0 B), uploaded 900 MB, estimated 1 GB (300.0%) 0s left",
    { ...up, progress: bytes(2_950_000_000, 1e9), sentBytes: 9e8, cachedBytes: 0 },
  ],
  [
    "* 0 hashing, 50 hashed (3 GB), 0 cached (0 B), uploaded 900 MB, estimated 1 GB (300.0%) 0s left",
    { ...up, progress: bytes(2_950_000_000, 1e9), sentBytes: 9e8, cachedBytes: 0 },
  ],
  [
    "* 0 hashing, 5 hashed (10 B), 0 cached (0 B), uploaded 1 KB, estimating...",
    { ...up, progress: bytes(10), sentBytes: 1000, cachedBytes: 0 },
  ],
  [
    "| 1 hashing, 10 hashed (1.5 GiB), 0 cached (0 B), uploaded 1 GiB, estimated 3 GiB (50.0%) 1m0s left",
    {
      ...up,
      progress: bytes(1_582_185_420, 3_221_225_472),
      sentBytes: 1_073_741_824,
      cachedBytes: 0,
      etaSeconds: 60,
    },
  ],
  ["/ 1 hashing, 1 hashed (x MB), 0 cached (0 B), uploaded 0 B, estimating...", undefined],
  ["/ 1 hashing, 1 hashed (1 MB), 0 cached (0 B), uploaded 0 B, estimated 4.5", undefined],
  ["hello", undefined],
  ["", undefined],
  ["Snapshotting user@host:/data ...", undefined],
  [
    "Processed 7 (640 MB) of 11 (1.6 GB) 42.5 MB/s (40.0%) remaining 22s.",
    { ...down, progress: bytes(639_950_000, 1_600_000_000), etaSeconds: 22 },
  ],
  ["Processed 3 (12 KB) of 3 (2 GB).", { ...down, progress: bytes(11_950, 2_000_000_000) }],
  [
    "Processed 8 (2 GB) of 7 (2 GB) 10 MB/s (100.0%) remaining 0s.",
    { ...down, progress: bytes(1_950_000_000, 2e9), etaSeconds: 0 },
  ],
  [
    "Processed 4 (1 GB) of 9 (2 GB), skipped 2 (30 MB) 10 MB/s (50.0%) remaining 1m40s.",
    { ...down, progress: bytes(974_025_000, 2e9), etaSeconds: 100 },
  ],
  ["Restored 6 files, 2 directories and 1 symbolic links (2 GB).", { ...down, progress: bytes(2e9, 2e9) }],
  [
    '{"message_type":"status","percent_done":0.25,"total_bytes":400,"bytes_done":100,"seconds_remaining":9}',
    { ...up, progress: bytes(100, 400), etaSeconds: 9 },
  ],
  [
    '{"message_type":"status","percent_done":0.5,"total_bytes":400,"bytes_restored":200}',
    { ...down, progress: bytes(200, 400) },
  ],
  ['{"message_type":"verbose_status","action":"new"}', undefined],
  ['{"message_type":"status"', undefined],
])("readMoverLine(%j)", (line, want) => {
  expect(readMoverLine(line)).toEqual(want);
});
