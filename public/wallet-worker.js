// An earlier version had a service worker, which showed passes without a connection. Browsers that still have it look here for the
// next one, and this one removes itself and what was stored (docs/decisions/0009-pages.md). Goes in December 2027.
self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("activate", (event) => {
  const removeCaches = async () => {
    for (const name of await caches.keys()) await caches.delete(name);
  };
  event.waitUntil(Promise.all([self.registration.unregister(), removeCaches()]));
});
