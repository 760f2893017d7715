// Command protogen writes the Go code of the connector contract. It needs
// neither protoc nor anything else on PATH: the descriptors come from
// protocompile, the code from the two generators that go.mod pins as tools.
//
// It runs in the folder that holds proto/ and writes below that folder.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

const (
	source    = "connector.proto"
	parameter = "module=github.com/codemode-go/codemode/plugin/wire"
)

func main() {
	if err := run(context.Background(), "."); err != nil {
		fmt.Fprintln(os.Stderr, "protogen:", err)
		os.Exit(1)
	}
}

// run writes the generated files of the contract in dir.
func run(ctx context.Context, dir string) error {
	files, err := generate(ctx, dir)
	if err != nil {
		return err
	}
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate returns the generated files of the contract in dir by their slash-separated names.
func generate(ctx context.Context, dir string) (map[string][]byte, error) {
	request, err := compile(ctx, filepath.Join(dir, "proto"))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, tool := range []string{"protoc-gen-go", "protoc-gen-go-grpc"} {
		response, err := invoke(ctx, tool, request)
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", tool, err)
		}
		for _, f := range response.File {
			files[f.GetName()] = []byte(f.GetContent())
		}
	}
	return files, nil
}

// compile turns the source into the request that protoc would send to a generator.
func compile(ctx context.Context, protoDir string) (*pluginpb.CodeGeneratorRequest, error) {
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{protoDir}}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	compiled, err := compiler.Compile(ctx, source)
	if err != nil {
		return nil, fmt.Errorf("compile %s: %w", source, err)
	}
	return &pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{source},
		Parameter:      proto.String(parameter),
		ProtoFile:      withImports(compiled[0]),
	}, nil
}

// withImports lists the file and all that it imports, every import before its importer.
func withImports(root linker.File) []*descriptorpb.FileDescriptorProto {
	var out []*descriptorpb.FileDescriptorProto
	seen := map[string]bool{}
	var visit func(protoreflect.FileDescriptor)
	visit = func(f protoreflect.FileDescriptor) {
		if seen[f.Path()] {
			return
		}
		seen[f.Path()] = true
		for i := range f.Imports().Len() {
			visit(f.Imports().Get(i).FileDescriptor)
		}
		out = append(out, protodesc.ToFileDescriptorProto(f))
	}
	visit(root)
	return out
}

// invoke runs one generator, a tool of this module, on the request.
func invoke(ctx context.Context, tool string, request *pluginpb.CodeGeneratorRequest) (*pluginpb.CodeGeneratorResponse, error) {
	in, err := proto.Marshal(request)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "go", "tool", tool)
	cmd.Stdin = bytes.NewReader(in)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	response := &pluginpb.CodeGeneratorResponse{}
	if err := proto.Unmarshal(out, response); err != nil {
		return nil, err
	}
	if response.Error != nil {
		return nil, errors.New(response.GetError())
	}
	return response, nil
}
