// Makes a CSI driver known to the kubelet, which looks for such a socket in its folder plugins_registry.
//
//	csi-registrar DRIVER DRIVER_SOCKET REGISTRATION_SOCKET
package main

import (
	"context"
	"errors"
	"io/fs"
	"log"
	"net"
	"os"

	"google.golang.org/grpc"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

type driver struct {
	registration.UnimplementedRegistrationServer
	name, socket string
}

func (d driver) GetInfo(context.Context, *registration.InfoRequest) (*registration.PluginInfo, error) {
	return &registration.PluginInfo{
		Type:              registration.CSIPlugin,
		Name:              d.name,
		Endpoint:          d.socket,
		SupportedVersions: []string{"1.0.0"},
	}, nil
}

func (d driver) NotifyRegistrationStatus(_ context.Context, status *registration.RegistrationStatus) (*registration.RegistrationStatusResponse, error) {
	if !status.PluginRegistered {
		log.Fatalf("the kubelet refuses %s: %s", d.name, status.Error)
	}
	log.Printf("the kubelet knows %s", d.name)
	return &registration.RegistrationStatusResponse{}, nil
}

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: csi-registrar DRIVER DRIVER_SOCKET REGISTRATION_SOCKET")
	}
	name, socket, at := os.Args[1], os.Args[2], os.Args[3]
	if err := os.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Fatal(err)
	}
	listener, err := net.Listen("unix", at)
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	registration.RegisterRegistrationServer(server, driver{name: name, socket: socket})
	log.Fatal(server.Serve(listener))
}
