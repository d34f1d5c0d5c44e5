/** Whoever has a token may be shown drafts, which no cache may keep. */
export default defineEventHandler((event) => {
  if (getCookie(event, 'previewToken') !== undefined) setHeader(event, 'Cache-Control', 'private, no-store');
});
