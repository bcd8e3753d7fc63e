/** A graph of many nodes, always the same: projects of which each has groups that hang together. */

interface Many {
  nodes: object[];
  edges: { source: number; target: number; type: string }[];
  clusters: { name: string; x: number; y: number; members: number[] }[];
  total: number;
}

const PROJECTS = 25;
const GROUP = 40;
const START = Date.parse("2025-11-18T00:00:00Z");

export function manyNodes(count: number): Many {
  const random = generator(7);
  const edges: Many["edges"] = [];
  const clusters: Many["clusters"] = [];
  const nodes = Array.from({ length: count }, (_, at) => {
    const group = Math.floor(at / GROUP);
    const project = group % PROJECTS;
    // Groups lie on a spiral, their members around the middle of each.
    const [angle, far] = [group * 2.39996, 8 * Math.sqrt(group)];
    const [x, y] = [
      Math.cos(angle) * far + (random() - 0.5) * 9,
      Math.sin(angle) * far + (random() - 0.5) * 9,
    ];
    const first = group * GROUP;
    for (let link = 0; link < 3 && at > first; link += 1)
      edges.push({
        source: first + Math.floor(random() * (at - first)),
        target: at,
        type: link === 0 ? "resume" : "semantic",
      });
    if (at > 0 && random() < 0.05)
      edges.push({ source: Math.floor(random() * at), target: at, type: "reference" });
    if (at === first) clusters.push({ name: `project-${project}: group ${group}`, x, y, members: [] });
    clusters.at(-1)?.members.push(at);
    return {
      id: at.toString(16).padStart(16, "0"),
      project: `/home/dev/project-${project}`,
      type: ["coding", "debugging", "docs", "research"][at % 4],
      outcome: ["success", "success", "partial", "failed", "abandoned"][at % 5],
      summary: `Unit of work ${at}: what was done, in a sentence of about a usual length`,
      started: new Date(START + at * 3_000_000).toISOString(),
      minutes: 12,
      cost: 0.2,
      x,
      y,
    };
  });
  return { nodes, edges, clusters, total: count };
}

/** Numbers from 0 to 1, always the same. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
