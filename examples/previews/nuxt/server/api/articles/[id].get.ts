/** Returns an article, and the address of the service if it is shown as a draft. */
export default defineEventHandler(async (event) => {
  const { mangroveUrl } = useRuntimeConfig(event);
  const token = getCookie(event, 'previewToken');
  const address = `${mangroveUrl}/api/articles/${encodeURIComponent(getRouterParam(event, 'id') ?? '')}`;
  const preview = token === undefined ? null : await fetch(address, { headers: { 'X-Preview-Token': token } });
  const isPreview = preview !== null && preview.status !== 401; // a 401 says that the token has ended
  const answer = isPreview ? preview : await fetch(address);
  if (!answer.ok) throw createError({ statusCode: answer.status });
  const { data } = await answer.json();
  return { article: { id: data.id, ...data.attributes }, panel: isPreview ? mangroveUrl : null };
});
