// SPDX-License-Identifier: MIT
//
// Runs a group of TensorFlow.js's operators on Dawn's WebGPU and compares each with TensorFlow.js's backend for the
// processor. `agx-runner apps tfjs` starts it: node operators.cjs GROUP. Invariant: nothing that is called WebGPU's is
// computed by the processor: the backend's own shortcut for small tensors is off. A line is one answer: NAME(SIZES): OK,
// or what differs and FAIL.
'use strict';
const tf = require('@tensorflow/tfjs-core');

// The limit of TensorFlow.js's own tests of this backend, relative for what is larger than 1.
const EPSILON = 1e-3;

// Numbers of a linear congruential generator, from low to high.
function numbers(count, low, high, seed) {
  let state = seed >>> 0;
  return Float32Array.from({length: count}, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return low + ((high - low) * state) / 4294967296;
  });
}
const size = shape => shape.reduce((a, b) => a * b, 1);
const floats = (shape, low = -2, high = 2, seed = 1) => tf.tensor(numbers(size(shape), low, high, seed), shape);
const ints = (shape, low, high, seed = 1) =>
  tf.tensor(Int32Array.from(numbers(size(shape), low, high, seed), Math.floor), shape, 'int32');
const bools = (shape, seed = 1) => tf.tensor(Uint8Array.from(numbers(size(shape), 0, 2, seed), Math.floor), shape, 'bool');

const SHAPE = [5, 7, 33]; // no power of two

const unary = (low, high, names) => Object.fromEntries(names.map(name => [name, () => tf[name](floats(SHAPE, low, high))]));
const binary = (low, high, names) => Object.fromEntries(names.map(name => [name, () =>
  tf[name](floats(SHAPE, low, high), floats([7, 1], low, high, 2))])); // broadcast
const reduce = names => Object.fromEntries(names.map(name => [name, () => tf[name](floats(SHAPE), 1)]));
const compare = names => Object.fromEntries(names.map(name => [name, () => tf[name](ints(SHAPE, 0, 4), ints(SHAPE, 0, 4, 2))]));
const image = () => floats([2, 17, 19, 3]);
const volume = () => floats([1, 6, 7, 8, 2]);

const groups = {
  unary: {
    ...unary(-2, 2, ['abs', 'atan', 'ceil', 'cos', 'elu', 'erf', 'exp', 'expm1', 'floor', 'leakyRelu', 'neg', 'relu', 'relu6',
                     'round', 'selu', 'sigmoid', 'sign', 'sin', 'softplus', 'square', 'step', 'tan', 'tanh', 'asinh', 'sinh',
                     'cosh', 'isFinite', 'isInf', 'isNaN']),
    ...unary(0.1, 4, ['log', 'log1p', 'reciprocal', 'rsqrt', 'sqrt']),
    ...unary(-0.95, 0.95, ['acos', 'asin', 'atanh']),
    ...unary(1.1, 4, ['acosh']),
    clipByValue: () => tf.clipByValue(floats(SHAPE), -0.5, 1),
    cast: () => tf.cast(floats(SHAPE, -9, 9), 'int32'),
    logicalNot: () => tf.logicalNot(bools(SHAPE)),
  },
  binary: {
    ...binary(-2, 2, ['add', 'atan2', 'maximum', 'minimum', 'mul', 'prelu', 'squaredDifference', 'sub']),
    ...binary(0.5, 4, ['div', 'mod', 'pow']),
    floorDiv: () => tf.floorDiv(ints(SHAPE, -40, 40), ints(SHAPE, 1, 9, 2)),
    addN: () => tf.addN([floats(SHAPE), floats(SHAPE, -1, 1, 2), floats(SHAPE, -1, 1, 3)]),
    ...compare(['equal', 'greater', 'greaterEqual', 'less', 'lessEqual', 'notEqual']),
    logicalAnd: () => tf.logicalAnd(bools(SHAPE), bools(SHAPE, 2)),
    logicalOr: () => tf.logicalOr(bools(SHAPE), bools(SHAPE, 2)),
    where: () => tf.where(bools(SHAPE), floats(SHAPE), floats(SHAPE, 3, 5, 2)),
  },
  reduce: {
    ...reduce(['argMax', 'argMin', 'max', 'mean', 'min', 'sum', 'logSumExp', 'cumsum']),
    prod: () => tf.prod(floats(SHAPE, 0.5, 1.5), 1),
    cumprod: () => tf.cumprod(floats(SHAPE, 0.5, 1.5), 1),
    // Over the last dimension: TensorFlow.js's program for another one is no valid WGSL.
    all: () => tf.all(bools([5, 7, 3]), 2),
    any: () => tf.any(bools([5, 7, 3]), 2),
    sumOfAll: () => tf.sum(floats([4099])),
    softmax: () => tf.softmax(floats([13, 101])),
    logSoftmax: () => tf.logSoftmax(floats([13, 101])),
    topk: () => tf.topk(floats([7, 50]), 5).values,
    topkIndices: () => tf.topk(floats([7, 50]), 5).indices,
    bincount: () => tf.bincount(ints([200], 0, 16), tf.tensor([], [0]), 16),
    unsortedSegmentSum: () => tf.unsortedSegmentSum(floats([40, 3]), ints([40], 0, 6), 6),
    localResponseNormalization: () => tf.localResponseNormalization(floats([1, 5, 5, 8]), 2),
    batchNorm: () => tf.batchNorm(image(), floats([3]), floats([3], 0.5, 2, 2), floats([3], -1, 1, 3), floats([3], -1, 1, 4)),
  },
  matrix: {
    matMul: () => tf.matMul(floats([65, 33]), floats([33, 47], -1, 1, 2)),
    matMulTransposed: () => tf.matMul(floats([33, 65]), floats([47, 33], -1, 1, 2), true, true),
    matMulBatched: () => tf.matMul(floats([3, 8, 16]), floats([3, 16, 8], -1, 1, 2)),
    matMulVector: () => tf.matMul(floats([1, 300]), floats([300, 17], -1, 1, 2)),
    fusedMatMul: () => tf.fused.matMul({a: floats([20, 30]), b: floats([30, 20], -1, 1, 2), bias: floats([20]), activation: 'relu'}),
    einsum: () => tf.einsum('ij,kj->ik', floats([9, 21]), floats([8, 21], -1, 1, 2)),
    fft: () => tf.real(tf.fft(tf.complex(floats([2, 32]), floats([2, 32], -1, 1, 2)))),
    ifft: () => tf.imag(tf.ifft(tf.complex(floats([2, 32]), floats([2, 32], -1, 1, 2)))),
    complexAbs: () => tf.abs(tf.complex(floats([50]), floats([50], -1, 1, 2))),
  },
  convolution: {
    conv2d: () => tf.conv2d(image(), floats([3, 3, 3, 8], -1, 1, 2), 1, 'same'),
    conv2dStrided: () => tf.conv2d(image(), floats([3, 3, 3, 4], -1, 1, 2), 2, 'valid'),
    conv2dDilated: () => tf.conv2d(image(), floats([3, 3, 3, 4], -1, 1, 2), 1, 'same', 'NHWC', 2),
    conv2dPointwise: () => tf.conv2d(image(), floats([1, 1, 3, 16], -1, 1, 2), 1, 'valid'),
    conv2dTranspose: () => tf.conv2dTranspose(image(), floats([3, 3, 4, 3], -1, 1, 2), [2, 34, 38, 4], 2, 'same'),
    conv3d: () => tf.conv3d(volume(), floats([2, 2, 2, 2, 3], -1, 1, 2), 1, 'valid'),
    depthwiseConv2d: () => tf.depthwiseConv2d(image(), floats([3, 3, 3, 2], -1, 1, 2), 1, 'same'),
    separableConv2d: () => tf.separableConv2d(image(), floats([3, 3, 3, 1], -1, 1, 2), floats([1, 1, 3, 5], -1, 1, 3), 1, 'same'),
    fusedConv2d: () => tf.fused.conv2d({x: image(), filter: floats([3, 3, 3, 8], -1, 1, 2), strides: 1, pad: 'same',
                                        bias: floats([8]), activation: 'relu6'}),
    dilation2d: () => tf.dilation2d(image(), floats([3, 3, 3], -1, 1, 2), 1, 'same'),
    avgPool: () => tf.avgPool(image(), 3, 2, 'same'),
    maxPool: () => tf.maxPool(image(), 3, 2, 'same'),
    avgPool3d: () => tf.avgPool3d(volume(), 2, 1, 'valid'),
    maxPool3d: () => tf.maxPool3d(volume(), 2, 1, 'valid'),
  },
  shape: {
    batchToSpaceND: () => tf.batchToSpaceND(floats([4, 3, 3, 2]), [2, 2], [[0, 1], [1, 0]]),
    spaceToBatchND: () => tf.spaceToBatchND(floats([2, 4, 6, 3]), [2, 2], [[0, 0], [0, 0]]),
    concat: () => tf.concat([floats([4, 5]), floats([4, 3], -1, 1, 2)], 1),
    depthToSpace: () => tf.depthToSpace(floats([1, 3, 5, 8]), 2),
    expandDims: () => tf.expandDims(floats([4, 5]), 1),
    fill: () => tf.fill([9, 11], 2.5),
    gather: () => tf.gather(floats([9, 4, 3]), ints([5], 0, 9), 0),
    gatherND: () => tf.gatherND(floats([6, 7]), tf.tensor2d([[0, 1], [5, 6], [3, 2]], [3, 2], 'int32')),
    linspace: () => tf.linspace(-1, 3, 37),
    mirrorPad: () => tf.mirrorPad(floats([4, 5]), [[1, 2], [2, 1]], 'reflect'),
    oneHot: () => tf.oneHot(ints([20], 0, 7), 7),
    pad: () => tf.pad(floats([4, 5]), [[1, 2], [2, 1]], 3),
    range: () => tf.range(0, 50, 1.5),
    reverse: () => tf.reverse(floats(SHAPE), [1, 2]),
    scatterND: () => tf.scatterND(tf.tensor2d([[1], [4], [6]], [3, 1], 'int32'), floats([3, 4]), [8, 4]),
    slice: () => tf.slice(floats(SHAPE), [1, 2, 3], [3, 4, 20]),
    split: () => tf.split(floats([6, 8]), 2, 1)[1],
    stack: () => tf.stack([floats([4, 5]), floats([4, 5], -1, 1, 2)], 1),
    stridedSlice: () => tf.stridedSlice(floats(SHAPE), [0, 1, 2], [5, 7, 30], [2, 2, 3]),
    tensorScatterUpdate: () => tf.tensorScatterUpdate(floats([8, 4]), tf.tensor2d([[1], [6]], [2, 1], 'int32'), floats([2, 4], 5, 6)),
    tile: () => tf.tile(floats([3, 4]), [2, 3]),
    transpose: () => tf.transpose(floats(SHAPE), [2, 0, 1]),
    unstack: () => tf.unstack(floats([4, 5]), 0)[2],
  },
  image: {
    cropAndResize: () => tf.image.cropAndResize(image(), tf.tensor2d([[0.1, 0.2, 0.8, 0.9], [0.05, 0.05, 0.93, 0.6]]), tf.tensor1d([0, 1], 'int32'), [8, 8]),
    flipLeftRight: () => tf.image.flipLeftRight(image()),
    resizeBilinear: () => tf.image.resizeBilinear(image(), [30, 31]),
    resizeBilinearCorners: () => tf.image.resizeBilinear(image(), [9, 9], true),
    resizeNearestNeighbor: () => tf.image.resizeNearestNeighbor(image(), [30, 31]),
    rotateWithOffset: () => tf.image.rotateWithOffset(image(), 0.4, 0.5),
    transform: () => tf.image.transform(image(), tf.tensor2d([[1, 0.1, -2, 0.2, 1, 1, 0, 0], [1, 0, 1, 0, 1, -1, 0, 0]]), 'bilinear'),
    nonMaxSuppression: () => tf.image.nonMaxSuppression(floats([12, 4], 0, 1), floats([12], 0, 1, 2), 6, 0.5),
  },
};

async function compute(backend, make) {
  await tf.setBackend(backend);
  const tensor = make();
  return {shape: tensor.shape, type: tensor.dtype, data: await tensor.data()};
}

// What differs; '': nothing.
function difference(found, wanted) {
  if (found.shape.join() !== wanted.shape.join() || found.data.length !== wanted.data.length) {
    return `the shape is [${found.shape}], not [${wanted.shape}]`;
  }
  for (let i = 0; i < wanted.data.length; i++) {
    const a = found.data[i], b = wanted.data[i];
    const limit = wanted.type === 'float32' ? EPSILON * Math.max(1, Math.abs(b)) : 0;
    if (!(Math.abs(a - b) <= limit) && !(Number.isNaN(a) && Number.isNaN(b)) && a !== b) {
      return `element ${i} is ${a}, not ${b}`;
    }
  }
  return '';
}

async function main(group) {
  const table = groups[group];
  if (table === undefined) {
    console.error(`operators.cjs: no group ${group}: ${Object.keys(groups).join(' ')}`);
    return 79;
  }
  require('@tensorflow/tfjs-backend-cpu');
  const webgpu = await import('webgpu');
  Object.assign(globalThis, webgpu.globals);
  Object.defineProperty(globalThis, 'navigator', {value: {gpu: webgpu.create(['backend=vulkan']), userAgent: 'node'}, configurable: true});
  require('@tensorflow/tfjs-backend-webgpu');
  tf.env().set('WEBGPU_CPU_FORWARD', false);
  let bad = 0;
  for (const [name, make] of Object.entries(table)) {
    let why;
    try {
      const wanted = await compute('cpu', make);
      why = difference(await compute('webgpu', make), wanted);
    } catch (error) {
      why = `${error}`.split('\n')[0];
    }
    bad += why !== '';
    console.log(`  ${name}(${group}): ${why === '' ? 'OK' : `${why}: FAIL`}`);
  }
  return bad > 0 ? 1 : 0;
}

// Dawn's threads do not end by themselves.
main(process.argv[2]).then(code => process.exit(code), error => {
  console.error(error);
  process.exit(1);
});
