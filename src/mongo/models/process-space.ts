import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Where the id of a process names one process only: on Linux a namespace of processes since the start of the machine, because pods
 * may share the name of their host; elsewhere the host.
 */
export const processSpace = ((): string => {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
})();
