/** Members of `ctx`. Most probes answer by themselves. */
module.exports = {
  query: ({ ctx }) => ctx.query,
  'request-query': ({ ctx }) => ctx.request.query,
  querystring: ({ ctx }) => [ctx.querystring, ctx.search, ctx.originalUrl, ctx.url],
  params: ({ ctx }) => [ctx.params, ctx.request.params],
  path: ({ ctx }) => [ctx.path, ctx.method, ctx.request.path, ctx.request.method],
  body: ({ ctx }) => ctx.request.body,
  headers: ({ ctx }) => [ctx.get('X-Asked'), ctx.headers['x-asked'], ctx.request.header['x-asked'], ctx.request.get('x-none')],
  type: ({ ctx }) => [ctx.is('json'), ctx.request.type, ctx.accepts('json', 'html')],
  state: ({ ctx }) => [Object.keys(ctx.state).sort(), ctx.state.isAuthenticated, ctx.state.user, ctx.state.auth],
  route: ({ ctx }) => {
    const { method, path, handler, info } = ctx.state.route;
    return { method, path, handler, info };
  },
  'body-set': ({ ctx }) => {
    ctx.body = { set: true };
  },
  'body-text': ({ ctx }) => {
    ctx.body = 'plain text';
  },
  'body-null': ({ ctx }) => {
    ctx.body = null;
  },
  'body-html': ({ ctx }) => {
    ctx.type = 'html';
    ctx.body = '<p>html</p>';
  },
  'body-buffer': ({ ctx }) => {
    ctx.type = 'text/csv';
    ctx.body = Buffer.from('a,b');
  },
  'body-stream': ({ ctx }) => {
    ctx.type = 'text/plain';
    ctx.body = require('node:stream').Readable.from(['in ', 'parts']);
  },
  'body-list': ({ ctx }) => {
    ctx.body = [1, { two: 2 }];
  },
  status: ({ ctx }) => {
    ctx.status = 202;
    ctx.body = { accepted: true };
  },
  'status-only': ({ ctx }) => {
    ctx.status = 204;
  },
  'response-headers': ({ ctx }) => {
    ctx.set('X-Probe', 'one');
    ctx.append('X-Probe-List', 'a');
    ctx.set({ 'X-Probe-Two': 'two' });
    ctx.response.set('X-Probe-Three', 'three');
    ctx.remove('X-Probe-Two');
    ctx.body = { own: ctx.response.get('x-probe') };
  },
  redirect: ({ ctx }) => ctx.redirect('/elsewhere'),
  attachment: ({ ctx }) => {
    ctx.attachment('list.csv');
    ctx.body = 'a,b';
  },
  send: ({ ctx }) => void ctx.send({ sent: true }),
  'send-status': ({ ctx }) => void ctx.send({ sent: true }, 203),
  created: ({ ctx }) => void ctx.created({ made: true }),
  deleted: ({ ctx }) => void ctx.deleted({ gone: true }),
  'deleted-nothing': ({ ctx }) => void ctx.deleted(),
  badRequest: ({ ctx }) => void ctx.badRequest('bad', { field: 'name' }),
  unauthorized: ({ ctx }) => void ctx.unauthorized('who'),
  forbidden: ({ ctx }) => void ctx.forbidden(),
  notFound: ({ ctx }) => void ctx.notFound('nothing here', { looked: ['here'] }),
  internalServerError: ({ ctx }) => void ctx.internalServerError('broken'),
  tooManyRequests: ({ ctx }) => void ctx.tooManyRequests('slow down'),
  notImplemented: ({ ctx }) => void ctx.notImplemented(),
  conflict: ({ ctx }) => void ctx.conflict('taken'),
  throw: ({ ctx }) => ctx.throw(409, 'thrown conflict'),
  'throw-500': ({ ctx }) => ctx.throw(500, 'hidden text'),
  assert: ({ ctx }) => ctx.assert(false, 418, 'a teapot'),
  'state-own': ({ ctx }) => {
    ctx.state.mine = { a: 1 };
    return ctx.state.mine;
  },
  cookies: ({ ctx }) => ctx.cookies.get('probe') ?? 'none',
  'cookies-set': ({ ctx }) => {
    ctx.cookies.set('probe', 'value', { httpOnly: true, signed: false });
    return 'set';
  },
  host: ({ ctx }) => [ctx.protocol, ctx.secure, typeof ctx.hostname, ctx.request.ip === ctx.ip, ctx.fresh, ctx.idempotent],
  'node-objects': ({ ctx }) => [ctx.req.method, typeof ctx.res.setHeader, typeof ctx.app, ctx.respond],
  'request-context': ({ strapi, ctx }) => strapi.requestContext.get() === ctx,
};
