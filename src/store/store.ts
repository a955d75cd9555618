/** One object of a listing. */
export interface ObjectInfo {
  readonly key: string;
  /** Absent where the store does not tell it. */
  readonly bytes?: number;
  readonly modifiedAt?: Date;
}

/** What a listing yields: an object, or (with a delimiter) everything below one folder as its prefix. */
export type Entry = { readonly object: ObjectInfo } | { readonly prefix: string };

/** The content of an object to write. A stream is read only as fast as it can be written. */
export type Body = Uint8Array | AsyncIterable<Uint8Array>;

/** What engines need of an object store. Keys are relative to the store's bucket and prefix. */
export interface Store {
  /** Where this is, for messages: never holds a secret. */
  readonly place: string;
  /** Writes an object whole: until it returns, readers see the former object or none. */
  put(key: string, body: Body, signal?: AbortSignal): Promise<void>;
  /** Opens an object; STORE_MISSING when there is none. The stream fails when the object ends early. */
  get(key: string, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Facts of an object, undefined when there is none. */
  head(key: string, signal?: AbortSignal): Promise<ObjectInfo | undefined>;
  /** Objects whose key starts with the prefix, in byte order of the keys; with a delimiter only down to the next "/". */
  list(prefix: string, options?: ListOptions, signal?: AbortSignal): AsyncIterable<Entry>;
  /** Removes an object; one that is not there is removed already. */
  delete(key: string, signal?: AbortSignal): Promise<void>;
  /** Removes every object under a prefix that ends in "/"; returns how many. */
  deletePrefix(prefix: string, signal?: AbortSignal): Promise<number>;
  /** An address anyone can download the object from for a while; undefined when the store cannot give one. */
  signedUrl(key: string, ttlSeconds: number): Promise<string | undefined>;
}

/** How far down a listing goes. */
export interface ListOptions {
  readonly delimiter?: "/";
}
