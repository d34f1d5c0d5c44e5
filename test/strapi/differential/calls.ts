import { routeRequests } from './route-calls.js';

/** A request whose answer is recorded. */
export interface Call {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type Asked = Partial<Omit<Call, 'name'>>;

/** Probes that need more than a GET of their path. `path` goes behind the path of the probe. */
const asked: Readonly<Record<string, Asked>> = {
  'context/query': { path: '?a[b][]=1&a[b][]=2&c=3&filters[title][$eq]=x' },
  'context/request-query': { path: '?page=1&list=a&list=b' },
  'context/querystring': { path: '?a=1&b=%20x' },
  'context/params': { method: 'PUT', path: '/7', body: {} },
  'context/body': { method: 'POST', body: { data: { a: [1, null] }, other: 'x' } },
  'context/headers': { headers: { 'x-asked': 'yes' } },
  'context/type': { method: 'POST', body: {} },
  'context/cookies': { headers: { cookie: 'probe=eaten' } },
  'utils/parse-multipart': { method: 'POST', body: { data: { a: 1 } } },
  'plugins/jwt-from-request': { headers: { authorization: 'Basic abc' } },
};

/** Requests to generated, overridden and own routes. */
const requests: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ['GET', '/api/articles?sort=id'],
  ['GET', '/api/articles?populate=*&sort=id'],
  ['GET', '/api/articles?only=Pepper'],
  ['GET', '/api/articles?filters[author][name][$eq]=Ann&fields[0]=title&sort=title:desc'],
  ['GET', '/api/articles?filters[secret][$eq]=hidden'],
  ['GET', '/api/articles?fields[0]=secret'],
  ['GET', '/api/articles?publicationState=preview&fields[0]=title&sort=id'],
  ['GET', '/api/articles?pagination[page]=2&pagination[pageSize]=1&fields[0]=title&sort=id'],
  ['GET', '/api/articles?pagination[start]=1&pagination[limit]=1&fields[0]=title&sort=id'],
  ['GET', '/api/articles?populate[quotes][populate]=seo&populate[blocks][populate]=*&fields[0]=title&filters[id]=1'],
  ['GET', '/api/articles?populate[author][fields][0]=email&filters[id]=1&fields[0]=title'],
  ['GET', '/api/articles?sort=nothing'],
  ['GET', '/api/articles/1?fields[0]=title'],
  ['GET', '/api/articles/1?populate[tags][sort]=label'],
  ['GET', '/api/articles/3'],
  ['GET', '/api/articles/99'],
  ['GET', '/api/articles/slugs/salt?fields[0]=title&populate=author'],
  ['GET', '/api/articles/slugs/salt?filters[nothing]=1'],
  ['GET', '/api/articles/named/a'],
  ['GET', '/api/articles/named/c'],
  ['POST', '/api/articles', { data: { title: 'Posted', kind: 'news' } }],
  ['POST', '/api/articles', { data: { views: 'many' } }],
  ['POST', '/api/articles', { data: { title: 'Posted', slug: 'salt' } }],
  ['PUT', '/api/articles/1', { data: { title: 'Changed', quotes: [{ text: 'one' }] } }],
  ['PUT', '/api/articles/99', { data: { title: 'Changed' } }],
  ['PUT', '/api/articles/1', {}],
  ['DELETE', '/api/articles/2'],
  ['DELETE', '/api/articles/99'],
  ['GET', '/api/authors?sort=id'],
  ['GET', '/api/authors/1?populate[articles][fields][0]=title'],
  ['POST', '/api/authors', { data: { name: 'Cat', email: 'cat@example.org' } }],
  ['POST', '/api/authors', { data: { name: 'a name that is far too long', email: 'x' } }],
  ['GET', '/api/tags'],
  ['GET', '/api/tags?allow=yes&sort=id'],
  ['GET', '/api/tags/1'],
  ['GET', '/api/tags/99'],
  ['POST', '/api/tags', { data: { label: 'posted' } }],
  ['POST', '/api/tags', { data: { label: 'forbidden' } }],
  ['POST', '/api/tags', { data: { label: 'red' } }],
  ['PUT', '/api/tags/1', { data: { weight: 12 } }],
  ['DELETE', '/api/tags/1'],
  ['GET', '/api/setting'],
  ['GET', '/api/setting?populate='],
  ['PUT', '/api/setting', { data: { siteName: 'Larder' } }],
  ['DELETE', '/api/setting'],
  ['GET', '/api/pages'],
  ['GET', '/api/pages?locale=fr&populate=localizations'],
  ['GET', '/api/pages?locale=all&sort=id'],
  ['GET', '/api/pages/2'],
  ['GET', '/api/events?sort=id'],
  ['GET', '/api/events/3'],
  ['POST', '/api/events', { data: { title: 'marked' } }],
  ['POST', '/api/events', { data: { title: 'refused' } }],
  ['PUT', '/api/events/1', { data: { title: 'marked' } }],
  ['GET', '/api/users/count'],
  ['GET', '/api/users/1/initials'],
  ['GET', '/api/users/9/initials'],
  ['GET', '/api/users?sort=id'],
  ['GET', '/api/users/me'],
  ['GET', '/unprefixed'],
  ['GET', '/api/unprefixed'],
  ['GET', '/api/guarded/open'],
  ['GET', '/api/guarded/closed'],
  ['GET', '/api/guarded-twice/members/start'],
  ['GET', '/api/private-probes'],
  ['GET', '/api/probes/nothing/here'],
  ['GET', '/api/nothing'],
  ['POST', '/api/auth/local', { identifier: 'ann', password: 'Passw0rd!' }],
  ['POST', '/api/auth/local', { identifier: 'ann', password: 'wrong' }],
  ['GET', '/api/upload/files'],
];

/** Returns the calls of all probes, which are named `group/name`, and of all requests. */
export const callsOf = (probes: readonly string[]): Call[] => [
  ...probes.map((name) => {
    const { method = 'GET', path = '', ...rest } = asked[name] ?? {};
    return { name, method, path: `/api/probes/${name}${path}`, ...rest };
  }),
  ...[...requests, ...routeRequests].map(([method, path, body]) => ({
    name: `${method} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`,
    method,
    path,
    ...(body !== undefined && { body }),
  })),
];
