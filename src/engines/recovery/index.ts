// Recovery: how long restoring everything would take, from what earlier runs took. Pure.
// Not here: reading the bucket (engines/bucket), what is printed (cli/recovery), restoring (engines/restore).
export { type Candidate, choose } from "./choose.ts";
export { type Forecast, forecast, type Lever } from "./forecast.ts";
export { assumptions, type BackupWork, type Basis, type Place, type VolumeWork } from "./work.ts";
