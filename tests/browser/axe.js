// Runs axe on the page with a background of one colour. Contrast hidden by an image or a gradient is a finding.

const [rules, background, done] = arguments;
const lit = [...document.querySelectorAll('*')].filter((node) => getComputedStyle(node).backgroundImage.includes('gradient'));
for (const { style } of [document.body, ...lit]) style.background = `var(${background})`;
const UNJUDGED = ['bgGradient', 'bgImage'];
const unjudged = ({ any }) => any.some(({ data }) => UNJUDGED.includes(data?.messageKey));
const place = ({ html, failureSummary }) => [html, failureSummary];
const describe = ({ id, help, nodes }) => ({ id, help, nodes: nodes.map(place) });
axe.run(document, { runOnly: rules, resultTypes: ['violations', 'incomplete'] }).then(({ violations, incomplete, passes }) => {
  for (const { style } of [document.body, ...lit]) style.background = '';
  const unsure = incomplete.map((rule) => ({ ...rule, nodes: rule.nodes.filter(unjudged) })).filter(({ nodes }) => nodes.length);
  done({ tried: passes.length, found: [...violations, ...unsure].map(describe) });
}, (error) => done(String(error)));
