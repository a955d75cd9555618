// What every listener, stream and long-running process needs so that no input and no broken wire ends it.
// What is asked for, what flows and what it means is the business of the rooms above.
export { readBody } from "./body.ts";
export { type Certificate, selfSigned } from "./certificate.ts";
export { gunzipped, gzipped } from "./gzip.ts";
export { type LineOptions, LineSplitter, lines } from "./lines.ts";
export { limited, listenOn, openHttp, openHttps } from "./listener.ts";
export { protobufFields } from "./protobuf.ts";
export { guardProcess, type Host, type ProcessGuard, unhandledErrors } from "./unhandled.ts";
