import { aes } from "./aes.ts";
import { encodings } from "./base.ts";
import { dates } from "./dates.ts";
import type { Func } from "./define.ts";
import { dicts } from "./dicts.ts";
import { general } from "./general.ts";
import { hashes } from "./hash.ts";
import { lists } from "./lists.ts";
import { math } from "./math.ts";
import { outside } from "./outside.ts";
import { paths } from "./paths.ts";
import { regexes } from "./regexes.ts";
import { semver } from "./semver.ts";
import { strings } from "./strings.ts";
import { urls } from "./urls.ts";

/** Every function of sprig 2.22.0. */
export const sprig: Readonly<Record<string, Func>> = {
  ...strings,
  ...lists,
  ...dicts,
  ...math,
  ...dates,
  ...regexes,
  ...semver,
  ...urls,
  ...encodings,
  ...hashes,
  ...aes,
  ...paths,
  ...general,
  ...outside,
};
