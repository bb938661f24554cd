import { lookup as usual } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { isNamed, type NetworkRule } from "../ports/network.ts";

/**
 * Resolves the name of a host in a rule. A host that only a `*.` entry covers may belong to anybody, so addresses of
 * this machine and of a cloud's metadata service are rejected for it.
 */
export function lookupFor(rule: NetworkRule, lookup: LookupFunction = usual): LookupFunction {
  return (host, options, done) => {
    if (isNamed(rule, host)) return lookup(host, options, done);
    lookup(host, { ...options, all: true }, (error, addresses) => {
      const outer = typeof addresses === "string" ? [] : addresses.filter(({ address }) => !isInner(address));
      const [first] = outer;
      if (error !== null || first === undefined)
        return done(error ?? new Error(`${host} leads to this machine`), []);
      if (options.all) done(null, outer);
      else done(null, first.address, first.family);
    });
  };
}

function isInner(address: string): boolean {
  return inner.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** This machine and its link-local network: clouds serve a machine's credentials at 169.254.169.254. */
const inner = new BlockList();
inner.addSubnet("0.0.0.0", 8, "ipv4");
inner.addSubnet("127.0.0.0", 8, "ipv4");
inner.addSubnet("169.254.0.0", 16, "ipv4");
inner.addSubnet("::", 127, "ipv6");
inner.addSubnet("fe80::", 10, "ipv6");
inner.addAddress("fd00:ec2::254", "ipv6");
