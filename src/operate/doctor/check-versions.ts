import { packageVersion } from '#base/package-root.js';
import type { Context, DatabaseFacts } from './context.js';
import { advice, type CheckResult, nameSome, problem } from '#base/finding.js';

/** The end of fixes for versions of Node, by the schedule of its releases. */
const nodeEnds: Readonly<Record<string, string>> = { 20: '2026-04-30', 22: '2027-04-30', 24: '2028-04-30', 26: '2029-04-30' };

/** The end of fixes for versions of MongoDB, by its lifecycle schedule. */
const mongoEnds: Readonly<Record<string, string>> = { '6.0': '2025-07-31', '7.0': '2027-08-31', '8.0': '2029-10-31' };

/** The first releases of each line without CVE-2025-14847, which lets clients read memory of the server by zlib compression. */
const safeFrom: Readonly<Record<string, number>> = { '6.0': 27, '7.0': 28, '8.0': 17, '8.2': 3 };

export const checkNode = ({ now }: Context, version = process.versions.node): CheckResult => {
  const [major = ''] = version.split('.');
  if (Number(major) % 2 === 1) return advice(`Node ${version} is not a version with long support`, 'use an even version');
  return isUnsupported(nodeEnds[major], now)
    ? advice(`Node ${version} has got no fixes since ${String(nodeEnds[major])}`, 'use a newer version')
    : null;
};

export function checkMongo({ server }: DatabaseFacts, { now }: Context): CheckResult {
  const [major = 0, minor = 0, patch = 0] = server.version.split(/[.-]/).map(Number);
  const line = `${String(major)}.${String(minor)}`;
  const name = `MongoDB ${server.version}`;
  if (major < 6) return problem(`${name} is too old`, 'use MongoDB 6 or newer');
  return [
    isUnsupported(mongoEnds[line], now)
      ? advice(`${name} has got no fixes since ${String(mongoEnds[line])}`, 'use a newer version')
      : null,
    patch < (safeFrom[line] ?? 0)
      ? advice(
          `${name} has CVE-2025-14847`,
          `use ${line}.${String(safeFrom[line])} or newer, or switch zlib off (net.compression.compressors)`,
        )
      : null,
    server.featureVersion !== null && server.featureVersion !== line && minor === 0
      ? advice(
          `${name} stores data in the form of ${server.featureVersion}`,
          `finish the upgrade: setFeatureCompatibilityVersion "${line}"`,
        )
      : null,
  ];
}

const isUnsupported = (end: string | undefined, now: Date): boolean => end !== undefined && now > new Date(`${end}T23:59:59Z`);

/** Finds instances that serve something else than others. */
export function checkInstances({ instances }: DatabaseFacts, { config }: Context): CheckResult {
  const versions = new Set(instances.flatMap(({ version }) => version ?? []));
  const others = [...versions].filter((version) => version !== packageVersion);
  const revisions = new Set(instances.map(({ revision }) => revision));
  const silent = config.server.shutdownDelay === 0 && instances.length > 1;
  return [
    others.length > 0
      ? advice(`instances run version ${nameSome(others)}, and this is ${packageVersion}`, 'finish the rolling restart')
      : null,
    revisions.size > 1
      ? advice(
          'instances serve different models',
          'wait a moment; then read /admin/api/status, and restart the instance that differs',
        )
      : null,
    silent
      ? advice('instances stop before a load balancer has noticed', 'set SHUTDOWN_DELAY to longer than its interval of checks')
      : null,
  ];
}
