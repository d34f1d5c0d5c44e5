/** A metric of the text format 0.0.4. */
export interface Metric {
  readonly type: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const suffixes: Readonly<Record<string, readonly string[]>> = {
  histogram: ['_bucket', '_sum', '_count'],
  counter: [''],
  gauge: [''],
};

/** Parses metrics strictly. Throws an Error for anything that the format does not allow, and for histograms that do not add up. */
export function readMetrics(text: string): ReadonlyMap<string, Metric> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const metrics = new Map<string, { readonly type: string; readonly samples: Sample[] }>();
  let current = '';
  const seen = new Set<string>();
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line) ?? [];
    if (kind === 'TYPE') {
      if (metrics.has(name)) throw new Error(`${name} comes twice`);
      metrics.set((current = name), { type: rest, samples: [] });
    } else if (kind === undefined) {
      if (seen.has(keyOf(line))) throw new Error(`a sample comes twice: ${line}`);
      seen.add(keyOf(line));
      const metric = metrics.get(current);
      const sample = sampleOf(line);
      const isOwn = metric !== undefined && suffixes[metric.type]?.some((suffix) => sample.name === current + suffix) === true;
      if (!isOwn) throw new Error(`a sample of no metric: ${line}`);
      metric.samples.push(sample);
    }
  }
  for (const [name, metric] of metrics) if (metric.type === 'histogram') checkBuckets(name, metric.samples);
  return metrics;
}

const keyOf = (line: string): string => line.slice(0, line.lastIndexOf(' '));

function sampleOf(line: string): Sample {
  const [, name = '', labels = '', value = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  const pairs = [...labels.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/g)];
  const number = value === '+Inf' ? Infinity : Number(value);
  if (name === '' || Number.isNaN(number) || pairs.map(([whole]) => whole).join('') !== labels)
    throw new Error(`no sample: ${line}`);
  return { name, labels: Object.fromEntries(pairs.map(([, key = '', text = '']) => [key, text])), value: number };
}

function checkBuckets(name: string, samples: readonly Sample[]): void {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    const labels = Object.entries(sample.labels).filter(([label]) => label !== 'le');
    const key = JSON.stringify(labels.sort());
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  for (const group of groups.values()) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
    const counts = buckets.map(({ value }) => value);
    const count = group.find((sample) => sample.name === `${name}_count`)?.value;
    if (counts.some((value, index) => value < (counts[index - 1] ?? 0))) throw new Error(`the buckets of ${name} decrease`);
    if (counts.at(-1) !== count || buckets.at(-1)?.labels['le'] !== '+Inf')
      throw new Error(`the last bucket of ${name} is not the count`);
  }
}
