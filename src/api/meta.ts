/** What every object of Kubernetes says about its own type. */
interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A link from an object to the one that owns it. */
interface OwnerReference extends TypeMeta {
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Name, place and bookkeeping of a stored object. */
interface ObjectMeta {
  readonly name: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  /** Opaque text: never parsed, never compared except for being equal. */
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly unknown[];
}

/** Any object of Kubernetes. */
export interface KubeObject extends TypeMeta {
  readonly metadata: ObjectMeta;
}

/** An object that is not stored yet: the server may still have to make its name from `generateName`. */
export type NewObject<T extends KubeObject> = Omit<T, "metadata"> & {
  readonly metadata: Omit<ObjectMeta, "name"> & { readonly name?: string };
};
