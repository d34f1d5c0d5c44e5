/** Passes on what the service says of the entry, so that the page itself needs no token. */
export default defineEventHandler((event) => {
  const headers = { 'X-Preview-Token': getCookie(event, 'previewToken') ?? '' };
  return proxyRequest(event, `${useRuntimeConfig(event).mangroveUrl}/api/preview/events`, { headers });
});
