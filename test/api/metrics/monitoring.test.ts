import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { adminToken, serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { readMetrics, type Metric } from './read-metrics.js';

const readText = (name: string): string => readFileSync(new URL(`../../../monitoring/${name}`, import.meta.url), 'utf8');

/** Labels and metrics that Prometheus sets itself. */
const ofPrometheus: ReadonlySet<string> = new Set(['job', 'instance', 'le', 'up']);

/** Returns the values of all keys `name` in a value of JSON. */
const valuesOf = (value: unknown, name: string): readonly unknown[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, inner]) => (key === name ? [inner] : valuesOf(inner, name)));

const dashboard = JSON.parse(readText('grafana-dashboard.json')) as { readonly panels: readonly object[] };
const panels = valuesOf(dashboard.panels, 'expr').map(String);
const variables = valuesOf(dashboard, 'definition').map((text) => /^label_values\((.*), \w+\)$/.exec(String(text))?.[1] ?? '');
const alerts = [...readText('alert-rules.yaml').matchAll(/^ +expr: (.+)$/gm)].map(([, expression = '']) => expression);

/** What an expression of PromQL names: its metrics with the labels of their selectors, and the labels that it groups by. */
interface Named {
  readonly metrics: readonly (readonly [name: string, labels: readonly string[]])[];
  readonly groups: readonly string[];
}

function namesIn(expression: string): Named {
  const groups = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').map((label) => label.trim()),
  );
  const rest = expression.replaceAll(/\bby \([^)]*\)/g, '').replaceAll(/\[[^\]]*\]/g, '');
  const metrics = [...rest.matchAll(/\b([a-z]+_[\w:]+|up)\b(?!\()(?:\{([^}]*)\})?/g)].map(([, name = '', matchers = '']) => {
    const labels = [...matchers.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label = '']) => label);
    return [name, labels] as const;
  });
  return { metrics: metrics.filter(([name]) => !rest.includes(`="${name}`)), groups };
}

describe('the files in monitoring/', () => {
  let server: ServingAccounts;
  let metrics: ReadonlyMap<string, Metric>;
  before(async () => {
    server = await serveAccounts({ config: { server: { metrics: 'token' } } });
    const { observer } = server.server;
    const command = {
      kind: 'command ended',
      command: 'find',
      collection: 'articles',
      requestId: null,
      job: null,
      ms: 1,
    } as const;
    observer.observe({ ...command, isFailed: true });
    observer.observe({ kind: 'budget refused', limit: 'api.limits.entriesRead' });
    observer.observe({ kind: 'job ended', job: 'schedule', link: {}, ms: 1, err: null, failure: null });
    observer.observe({ kind: 'webhook attempted', webhook: 1, result: 'failed', ms: 1, status: null });
    await server.as(null, 'GET', '/api/articles');
    const read = () => fetch(`${server.server.url}/metrics`, { headers: { authorization: `Bearer ${adminToken}` } });
    metrics = readMetrics(await (await read()).text());
  });
  after(() => server.stop());

  /** Returns the labels of a metric or of its buckets, sum or count; null if there is no such sample. */
  const labelsOf = (name: string): ReadonlySet<string> | null => {
    const samples = [...metrics.values()].flatMap((metric) => metric.samples).filter((sample) => sample.name === name);
    return samples.length === 0 ? null : new Set(samples.flatMap(({ labels }) => Object.keys(labels)));
  };

  it('have expressions', () => {
    expect([panels.length, variables.length, alerts.length].every((count) => count > 0)).to.equal(true);
    expect(alerts).to.have.length((readText('alert-rules.yaml').match(/- alert:/g) ?? []).length);
  });

  for (const expression of [...panels, ...variables, ...alerts])
    it(expression, () => {
      const { metrics: named, groups } = namesIn(expression);
      expect(named).to.not.be.empty;
      for (const [name, labels] of named.filter(([one]) => !ofPrometheus.has(one))) {
        const present = labelsOf(name);
        expect(present, `the metric ${name}`).to.not.equal(null);
        for (const label of [...labels, ...groups].filter((one) => !ofPrometheus.has(one)))
          expect([...(present ?? [])], name).to.include(label);
      }
    });

  it('have panels that do not overlap', () => {
    const places = valuesOf(dashboard.panels, 'gridPos') as readonly { x: number; y: number; w: number; h: number }[];
    for (const [index, one] of places.entries())
      for (const other of places.slice(index + 1)) {
        const apart =
          one.x + one.w <= other.x || other.x + other.w <= one.x || one.y + one.h <= other.y || other.y + other.h <= one.y;
        expect(apart, JSON.stringify([one, other])).to.equal(true);
      }
  });
});
