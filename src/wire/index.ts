// What every listener, stream and long-running process needs so that no input and no broken wire ends it.
// What is asked for, what flows and what it means is the business of the rooms above.
export { readBody, TooLong } from "./body.ts";
export { type GunzipOptions, gunzipped, gzipped } from "./gzip.ts";
export { type Handler, limited, listenOn, openHttp, openHttps } from "./listener.ts";
export { guardProcess, type Host, type ProcessGuard, unhandledErrors } from "./unhandled.ts";
