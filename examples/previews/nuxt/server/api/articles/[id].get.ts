/** Returns an article, and the address of the service if it is shown as a draft. */
export default defineEventHandler(async (event) => {
  const { mangroveUrl } = useRuntimeConfig(event);
  const token = getCookie(event, 'previewToken');
  const address = `${mangroveUrl}/api/articles/${encodeURIComponent(getRouterParam(event, 'id') ?? '')}`;
  const answer = await fetch(address, token === undefined ? {} : { headers: { 'X-Preview-Token': token } });
  if (!answer.ok) throw createError({ statusCode: answer.status });
  const { data } = await answer.json();
  return { article: { id: data.id, ...data.attributes }, panel: token === undefined ? null : mangroveUrl };
});
