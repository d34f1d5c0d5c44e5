import { expect } from 'chai';
import { compilePath } from '#strapi/routes/route-paths.js';

type Params = Readonly<Record<string, string>>;

/** Paths of routes with requests, and the parameters that the router of Strapi 4.26 gives; null if the route does not match. */
const cases: readonly (readonly [path: string, requests: Readonly<Record<string, Params | null>>])[] = [
  ['/a/(.*)', { '/a/x': { 0: 'x' }, '/a/x/y': { 0: 'x/y' }, '/a/': {}, '/a': null }],
  ['/t/(.*)/and/(.*)', { '/t/a/b/and/c': { 0: 'a/b', 1: 'c' } }],
  ['/v/:id((?:a|b)\\d+)', { '/v/a12': { id: 'a12' }, '/v/b1': { id: 'b1' }, '/v/c1': null, '/v/a': null }],
  ['/f/:id.:ext', { '/f/a.b': { id: 'a', ext: 'b' }, '/f/a.b.c': { id: 'a.b', ext: 'c' }, '/f/a': null }],
  ['/g{/:x}?', { '/g': {}, '/g/1': { x: '1' }, '/g/1/2': null }],
  ['/n{/x-:x-y}?/end', { '/n/end': {}, '/n/x-1-y/end': { x: '1' }, '/n/1/end': null }],
  ['/o/:x?', { '/o': {}, '/o/': {}, '/o/1': { x: '1' } }],
  ['/m/:path*', { '/m': {}, '/m/a/b': { path: 'a/b' } }],
  ['/p/:path+', { '/p': null, '/p/a/b': { path: 'a/b' } }],
  ['/p/:path(\\d+)+', { '/p/1/2': { path: '1/2' }, '/p/1/x': null }],
  ['/w/:name(one|two)', { '/w/one': { name: 'one' }, '/w/ONE': { name: 'ONE' }, '/w/three': null }],
  ['/b/:from-:to', { '/b/a-b-c': { from: 'a-b', to: 'c' }, '/b/a': null }],
  ['/at/@:name', { '/at/@ann': { name: 'ann' }, '/at/ann': null }],
  ['/l/([a-z]+)/:id', { '/l/abc/1': { 0: 'abc', id: '1' }, '/l/1/1': null }],
  ['/Case/:Name', { '/case/Ann': { Name: 'Ann' } }],
  ['/e/\\(x\\)', { '/e/(x)': {}, '/e/x': null }],
  [
    '/d/:id',
    { '/d/a%20b': { id: 'a b' }, '/d/a%2Fb': { id: 'a/b' }, '/d/a+b': { id: 'a+b' }, '/d/1/': { id: '1' }, '/d//1': null },
  ],
];

/** Paths that are named at the start, because the router of Strapi v4 refuses them, or no request has them. */
const refused: readonly (readonly [path: string, message: RegExp])[] = [
  ['/a/*', /MODIFIER/],
  ['/g{/:x-:y}?', /expected CLOSE/],
  ['/x/:', /Missing parameter name/],
  ['/x/(a', /Unbalanced pattern/],
  ['/x/(a(b))', /Capturing groups are not allowed/],
  ['/with space', /no request has this path, here as in Strapi v4: write " " as %20/],
  ['/é', /no request has this path/],
  ['/a#b', /no request has this path/],
  ['without-slash', /must begin with a slash/],
];

describe('paths of routes', () => {
  for (const [path, requests] of cases)
    for (const [request, params] of Object.entries(requests))
      it(`${path} ${params === null ? 'does not match' : 'matches'} ${request}`, () => {
        expect(compilePath(path).match(request)).to.deep.equal(params);
      });

  for (const [path, message] of refused)
    it(`${path} is refused`, () => {
      expect(() => compilePath(path)).to.throw(message);
    });
});
