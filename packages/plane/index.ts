// The embedded cluster: an API server on loopback with its storage, controllers and a node that runs pods as processes.
// Not here: talking to a cluster as a client (kube/), and anything that Headway itself does on a cluster.

export { kubeconfigOf } from "./kubeconfig.ts";
export { endLeftovers } from "./node/leftovers.ts";
export { type Plane, type PlaneOptions, startPlane } from "./plane.ts";
